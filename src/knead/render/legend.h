// The colour bar with its numbers.
#pragma once

#include "knead/io/image.h"
#include "knead/render/scene.h"

namespace knead::render {

// Round numbers that cut lo..hi into about `count` parts; within lo..hi.
std::vector<double> tick_values(double lo, double hi, int count);

void draw_legend(Image& image, const Legend& legend);

}  // namespace knead::render
