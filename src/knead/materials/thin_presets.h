// Presets of cloth, yarn and hair.
#pragma once

#include <vector>

#include "knead/materials/material.h"

namespace knead {

// The rows of [Jiang 2017, Table 1] by the names of their scenes, in the units of that paper; then
// what is worn and tied, in SI.
void add_thin_presets(std::vector<Material>& all);

}  // namespace knead
