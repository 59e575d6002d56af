#include "knead/render/text.h"

#include <algorithm>
#include <cmath>

namespace knead::render {

namespace {

// A glyph is a list of pen strokes through points "xy" on a grid 5 wide: capitals span rows 0 to 6,
// small letters 2 to 6, descenders end at 8. '|' lifts the pen.
constexpr const char* digits[] = {
    "10 30 41 45 36 16 05 01 10|23 23",
    "11 20 26",
    "01 10 30 41 42 06 46",
    "01 10 30 41 42 33 44 45 36 16 05|13 33",
    "36 30 04 44",
    "40 00 03 12 32 43 45 36 16 05",
    "30 10 01 05 16 36 45 44 33 13 04",
    "00 40 16",
    "10 30 41 42 33 13 02 01 10|13 04 05 16 36 45 44 33",
    "42 33 13 02 01 10 30 41 45 36 16",
};
constexpr const char* small[] = {
    "42 46|43 32 12 03 05 16 36 45",
    "00 06|03 12 32 43 45 36 16 05",
    "43 32 12 03 05 16 36 45",
    "40 46|43 32 12 03 05 16 36 45",
    "04 44 43 32 12 03 05 16 36 45",
    "40 30 21 26|12 42",
    "42 47 38 18 07|43 32 12 03 05 16 36 45",
    "00 06|03 12 32 43 46",
    "22 26|20 20",
    "32 37 28 18|30 30",
    "00 06|32 04 36",
    "20 26",
    "02 06|03 12 23 26|23 32 43 46",
    "02 06|03 12 32 43 46",
    "12 32 43 45 36 16 05 03 12",
    "02 08|03 12 32 43 45 36 16 05",
    "42 48|43 32 12 03 05 16 36 45",
    "12 16|13 22 42",
    "43 32 12 03 14 34 45 36 16 05",
    "20 25 36 46|12 42",
    "02 05 16 36 45|42 46",
    "02 26 42",
    "02 16 23 36 42",
    "02 46|06 42",
    "02 26|42 18",
    "02 42 06 46",
};
constexpr const char* capital[] = {
    "06 20 46|14 34",
    "00 06 36 45 44 33 03|33 42 41 30 00",
    "41 30 10 01 05 16 36 45",
    "00 06 26 44 42 20 00",
    "40 00 06 46|03 33",
    "40 00 06|03 33",
    "41 30 10 01 05 16 36 45 43 23",
    "00 06|40 46|03 43",
    "10 30|20 26|16 36",
    "40 45 36 16 05",
    "00 06|40 03 46",
    "00 06 46",
    "06 00 23 40 46",
    "06 00 46 40",
    "10 30 41 45 36 16 05 01 10",
    "06 00 30 41 42 33 03",
    "10 30 41 45 36 16 05 01 10|34 46",
    "06 00 30 41 42 33 03|23 46",
    "41 30 10 01 02 13 33 44 45 36 16 05",
    "00 40|20 26",
    "00 05 16 36 45 40",
    "00 26 40",
    "00 16 22 36 40",
    "00 46|06 40",
    "00 23 40|23 26",
    "00 40 06 46",
};
const char* strokes_of(char c) {
    if (c >= '0' && c <= '9') return digits[c - '0'];
    if (c >= 'a' && c <= 'z') return small[c - 'a'];
    if (c >= 'A' && c <= 'Z') return capital[c - 'A'];
    switch (c) {
        case ' ':
            return "";
        case '.':
            return "26 26";
        case '-':
            return "13 33";
        case '+':
            return "21 25|03 43";
        case '_':
            return "07 47";
        case '/':
            return "07 40";
        case '(':
            return "30 22 24 36";
        case ')':
            return "10 22 24 16";
        case '=':
            return "02 42|04 44";
        case ':':
            return "22 22|25 25";
        default:
            return "00 40 46 06 00";
    }
}

constexpr double advance = 6.2;  // grid columns from one glyph to the next

double distance_to_segment(double px, double py, double ax, double ay, double bx, double by) {
    const double dx = bx - ax, dy = by - ay, l2 = dx * dx + dy * dy;
    const double t = l2 > 0 ? std::clamp(((px - ax) * dx + (py - ay) * dy) / l2, 0.0, 1.0) : 0;
    return std::hypot(px - ax - t * dx, py - ay - t * dy);
}

// Distance from a point in grid units to the glyph's strokes.
double distance_to_glyph(const char* s, double px, double py) {
    double best = 1e9, lx = 0, ly = 0;
    bool down = false;
    for (; *s; ++s) {
        if (*s == '|') down = false;
        if (*s == '|' || *s == ' ') continue;
        const double x = s[0] - '0', y = s[1] - '0';
        if (down) best = std::min(best, distance_to_segment(px, py, lx, ly, x, y));
        lx = x, ly = y, down = true;
        ++s;
    }
    return best;
}

void draw_glyph(Image& image, char c, double x, double y, double unit, const Vec3f& color) {
    const char* strokes = strokes_of(c);
    const double pen = 0.42;  // half the width of a stroke, in grid units
    const int x0 = std::max(0, static_cast<int>(x - unit)),
              y0 = std::max(0, static_cast<int>(y - unit));
    const int x1 = std::min(image.width - 1, static_cast<int>(x + 5 * unit) + 1);
    const int y1 = std::min(image.height - 1, static_cast<int>(y + 9 * unit) + 1);
    for (int j = y0; j <= y1; ++j)
        for (int i = x0; i <= x1; ++i) {
            const double d = distance_to_glyph(strokes, (i + 0.5 - x) / unit, (j + 0.5 - y) / unit);
            const auto cover = static_cast<float>(std::clamp((pen - d) * unit + 0.5, 0.0, 1.0));
            if (cover <= 0) continue;
            std::uint8_t* p = image.pixel(i, j);
            for (int k = 0; k < 3; ++k) {
                const float under = p[k];
                p[k] = static_cast<std::uint8_t>(under + cover * (255 * color[k] - under) + 0.5f);
            }
        }
}

}  // namespace

double text_width(const std::string& text, double height) {
    return static_cast<double>(text.size()) * advance * height / 6;
}

void draw_text(Image& image, const std::string& text, double x, double y, double height,
               const Vec3f& color) {
    const double unit = height / 6;
    for (char c : text) {
        draw_glyph(image, c, x, y, unit, color);
        x += advance * unit;
    }
}

}  // namespace knead::render
