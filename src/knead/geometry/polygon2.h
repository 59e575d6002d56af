// Polygons in the plane.
#pragma once

#include <array>
#include <vector>

namespace knead {

// The same polygon with its corners counter-clockwise and no corner twice in a row. Throws
// InputError when it has no area or crosses itself.
std::vector<std::array<double, 2>> simple_counter_clockwise(
    const std::vector<std::array<double, 2>>& corners);

}  // namespace knead
