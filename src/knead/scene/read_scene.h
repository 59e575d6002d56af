// Scene files in and out. Every mistake is named, not just the first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knead/scene/scene.h"

namespace knead {

struct Value;

struct Reading {
    Scene scene;
    std::vector<Mistake> mistakes;  // in the order of the file; empty: the scene is right
};

// `settings` are "key.path=value" in TOML's notation, as given to --set; "quality=NAME" chooses a
// [quality.NAME] table of the file. Meshes are named, not opened: build_model does that.
Reading try_read_scene(const std::string& path, const std::vector<std::string>& settings = {});
Reading try_read_scene_text(std::string_view text, const std::string& name,
                            const std::vector<std::string>& settings = {});

// The same for values that a program has made, each with a place that says where it stands. Meshes
// are in `folder`.
Reading try_read_scene_tree(const Value& tree, const std::string& name, const std::string& folder,
                            const std::vector<std::string>& settings = {});

// The same, throwing InputError with all mistakes.
Scene read_scene(const std::string& path, const std::vector<std::string>& settings = {});
Scene read_scene_text(std::string_view text, const std::string& name,
                      const std::vector<std::string>& settings = {});

// The scene as resolved: defaults written out, presets and quality applied, meshes by absolute
// path. Reads back to the same scene.
std::string write_scene(const Scene& scene);

}  // namespace knead
