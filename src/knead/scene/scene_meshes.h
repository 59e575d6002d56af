// The mesh files a scene names.
#pragma once

#include "knead/scene/read_scene.h"

namespace knead {

std::vector<std::string> mesh_files(const Scene& scene);

// As try_read_scene; where the scene is wrong its meshes are opened too, so that every mistake is
// named at once. Meshes of a scene without mistakes wait for build_model.
Reading try_read_scene_and_meshes(const std::string& path,
                                  const std::vector<std::string>& settings = {});

// What mesh files hold, as one number; a file that cannot be read counts as empty.
std::uint64_t hash_of_meshes(const Scene& scene);

}  // namespace knead
