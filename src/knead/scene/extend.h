// A scene that `extends` another is that other scene with its own keys changed or added.
#pragma once

#include "knead/base/error.h"
#include "knead/scene/value.h"

namespace knead {

// Puts the scenes that `tree` extends, file after file, underneath it. `folder` is where the tree's
// own file lies. Lists that take the place of others are named in the warnings.
void resolve_extends(Value& tree, const std::string& folder, std::vector<Mistake>& mistakes,
                     std::vector<Mistake>& warnings);

// The scene file itself and those that it extends, as far as they can be read.
std::vector<std::string> files_of_scene(const std::string& path);

}  // namespace knead
