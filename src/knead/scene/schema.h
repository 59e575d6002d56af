// The keys of a scene as a JSON Schema, for editors that complete and check TOML.
#pragma once

#include <string>

namespace knead {

std::string scene_schema();

}  // namespace knead
