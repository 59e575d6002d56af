#include "knead/scene/read_file.h"

#include "knead/base/input_file.h"

namespace knead {

std::string read_scene_file(const std::string& path) { return read_input(path, scene_input); }

}  // namespace knead
