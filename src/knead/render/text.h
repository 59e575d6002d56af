// Text in UTF-8, for legends, in the font that the program carries.
#pragma once

#include <string>

#include "knead/io/image.h"
#include "knead/math/vec.h"

namespace knead::render {

// Width of `text` for capitals `height` pixels tall.
double text_width(const std::string& text, double height);

// Draws with the top left corner of the first capital at (x, y); colour as stored in the image.
void draw_text(Image& image, const std::string& text, double x, double y, double height,
               const Vec3f& color);

}  // namespace knead::render
