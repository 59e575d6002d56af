// Materials by name, each saying where its numbers come from.
#pragma once

#include <string_view>
#include <vector>

#include "knead/materials/material.h"

namespace knead {

const std::vector<Material>& material_presets();
// nullptr when there is none of that name.
const Material* find_preset(std::string_view name);

}  // namespace knead
