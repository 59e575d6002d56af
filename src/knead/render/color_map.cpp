#include "knead/render/color_map.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "knead/io/color.h"

namespace knead::render {

namespace {

// Control points in CIELAB: lightness goes from 18 to 92 in equal steps, hue turns once from violet
// over blue and green to yellow.
struct Lab {
    double l, a, b;
};
constexpr Lab points[] = {
    {18, 30, -38}, {33, 20, -48}, {48, -8, -34}, {63, -38, 4}, {78, -34, 48}, {92, -6, 62},
};

double lab_inverse(double t) { return t > 6.0 / 29 ? t * t * t : 108.0 / 841 * (t - 4.0 / 29); }

// CIELAB (D65) to linear sRGB.
Vec3f linear_rgb(const Lab& c) {
    const double fy = (c.l + 16) / 116, fx = fy + c.a / 500, fz = fy - c.b / 200;
    const double x = 0.95047 * lab_inverse(fx), y = lab_inverse(fy), z = 1.08883 * lab_inverse(fz);
    const Vec3d rgb{3.2406 * x - 1.5372 * y - 0.4986 * z, -0.9689 * x + 1.8758 * y + 0.0415 * z,
                    0.0557 * x - 0.2040 * y + 1.0570 * z};
    return Vec3f(min(splat(1.0), max(splat(0.0), rgb)));
}

}  // namespace

Vec3f map_color(double t) {
    if (!(t == t)) return {0.3f, 0.3f, 0.3f};
    constexpr int spans = static_cast<int>(std::size(points)) - 1;
    const double at = std::clamp(t, 0.0, 1.0) * spans;
    const int i = std::min(static_cast<int>(at), spans - 1);
    const double f = at - i;
    const Lab &p = points[i], &q = points[i + 1];
    return linear_rgb({p.l + f * (q.l - p.l), p.a + f * (q.a - p.a), p.b + f * (q.b - p.b)});
}

}  // namespace knead::render
