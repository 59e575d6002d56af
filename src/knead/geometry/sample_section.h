// Points of a plane cut through a shape: the opening that a stream comes through.
#pragma once

#include <vector>

#include "knead/geometry/sdf_shape.h"

namespace knead {

// On a square lattice of the plane through the middle of the shape's bounds, across `direction`.
// InputError unless the shape can be filled with points this far apart.
std::vector<Vec3d> sample_section(const SdfShape& shape, const Vec3d& direction, double spacing);

// The area of that cut, to about a hundredth [m2].
double section_area(const SdfShape& shape, const Vec3d& direction);

}  // namespace knead
