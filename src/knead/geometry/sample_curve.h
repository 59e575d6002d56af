// Points along a line of straight pieces.
#pragma once

#include <vector>

#include "knead/math/vec.h"

namespace knead {

// Both ends and points between, equally far apart along the line, as near to `spacing` as that
// allows.
std::vector<Vec3d> sample_curve(const std::vector<Vec3d>& line, double spacing);

}  // namespace knead
