#include "knead/render/legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "knead/io/color.h"
#include "knead/render/color_map.h"
#include "knead/render/text.h"

namespace knead::render {

std::vector<double> tick_values(double lo, double hi, int count) {
    if (!(hi > lo)) return {lo};
    const double rough = (hi - lo) / count, power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (double nice : {5.0, 2.0, 1.0})
        if (nice * power >= rough * 0.999) step = nice * power;
    std::vector<double> ticks;
    for (double k = std::ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; ++k)
        ticks.push_back(k * step);
    return ticks;
}

void draw_legend(Image& image, const Legend& legend) {
    const double text = std::max(6.0, image.height / 50.0);  // height of capitals
    const double margin = 2 * text;
    const int x0 = static_cast<int>(margin), width = static_cast<int>(1.4 * text);
    const int y0 = static_cast<int>(margin + 2.4 * text), tall = std::max(8, image.height * 2 / 5);
    const Vec3f ink{0.13f, 0.14f, 0.16f};
    draw_text(image, legend.title, x0, margin, text, ink);

    // the bar, highest value on top
    for (int y = y0; y < std::min(image.height, y0 + tall); ++y) {
        const Vec3f c = map_color(1 - (y - y0 + 0.5) / tall);
        for (int x = x0; x < std::min(image.width, x0 + width); ++x)
            for (int k = 0; k < 3; ++k) image.pixel(x, y)[k] = srgb_byte(c[k]);
    }

    // numbers beside it
    for (double value : tick_values(legend.lo, legend.hi, 4)) {
        const double t = legend.hi > legend.lo ? (value - legend.lo) / (legend.hi - legend.lo) : 0;
        const double y = y0 + (1 - t) * tall;
        const std::string number =
            fmt::format("{:.4g}", std::abs(value) < 1e-12 * legend.hi ? 0 : value);
        for (int x = x0 + width; x < std::min(image.width, x0 + width + width / 3); ++x) {
            const int row = std::clamp(static_cast<int>(y), 0, image.height - 1);
            for (int k = 0; k < 3; ++k)
                image.pixel(x, row)[k] = static_cast<std::uint8_t>(255 * ink[k]);
        }
        draw_text(image, number, x0 + 1.7 * width, y - text / 2, text, ink);
    }
}

}  // namespace knead::render
