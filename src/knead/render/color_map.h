// Numbers to colours: dark violet over teal and green to pale yellow, lightness rising evenly, so
// that equal steps look equal and a grey print still reads.
#pragma once

#include "knead/math/vec.h"

namespace knead::render {

Vec3f map_color(double t);  // t in 0..1 (clamped; not a number is grey), linear colour

}  // namespace knead::render
