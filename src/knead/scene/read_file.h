// The text of a scene file, or an InputError that says why there is none.
#pragma once

#include <string>

namespace knead {

std::string read_scene_file(const std::string& path);

}  // namespace knead
