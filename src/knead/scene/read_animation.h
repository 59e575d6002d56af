// Meshes that change with time, from files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "knead/geometry/animated_mesh.h"
#include "knead/scene/scene.h"

namespace knead {

// The files that a name stands for, relative to a folder: itself where it is there, or with a star
// all that fit, in the order of the numbers in their names.
std::vector<std::string> files_like(const std::string& folder, const std::string& name);

// Throws InputError that names the file.
std::shared_ptr<const AnimatedMesh> read_animation(const AnimationSpec& spec);

}  // namespace knead
