#include "knead/render/text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_truetype.h>
#pragma GCC diagnostic pop

#include "knead/base/check.h"

// The font's file, put into the program as it is.
__asm__(
    ".pushsection .rodata\n"
    ".balign 16\n"
    "knead_font_bytes: .incbin \"" KNEAD_FONT
    "\"\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" const unsigned char knead_font_bytes[];

namespace knead::render {

namespace {

struct Font {
    stbtt_fontinfo info{};
    int capital = 0;  // height of an H in the font's units

    Font() {
        CHECK(stbtt_InitFont(&info, knead_font_bytes, 0) != 0);
        int x0 = 0, y0 = 0, x1 = 0;
        stbtt_GetCodepointBox(&info, 'H', &x0, &y0, &x1, &capital);
    }
};

const Font& font() {
    static const Font one;
    return one;
}

// The characters of UTF-8 text; bytes that are none become the replacement character.
std::vector<int> characters(const std::string& text) {
    std::vector<int> out;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t more = lead < 0x80   ? 0
                                 : lead < 0xc0 ? 4
                                 : lead < 0xe0 ? 1
                                 : lead < 0xf0 ? 2
                                 : lead < 0xf8 ? 3
                                               : 4;
        int code = more == 0 ? lead : lead & (0x3f >> more);
        bool whole = more < 4 && i + more < text.size();
        for (std::size_t k = 1; whole && k <= more; ++k) {
            const auto byte = static_cast<unsigned char>(text[i + k]);
            whole = (byte & 0xc0) == 0x80;
            code = code << 6 | (byte & 0x3f);
        }
        out.push_back(whole ? code : 0xfffd);
        i += whole ? more + 1 : 1;
    }
    return out;
}

// visit(character, x) for each character and where it stands [pixels]; the width of all.
template <class Visit>
double walk(const std::string& text, double scale, const Visit& visit) {
    const std::vector<int> all = characters(text);
    double x = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        visit(all[i], x);
        int advance = 0, bearing = 0;
        stbtt_GetCodepointHMetrics(&font().info, all[i], &advance, &bearing);
        if (i + 1 < all.size())
            advance += stbtt_GetCodepointKernAdvance(&font().info, all[i], all[i + 1]);
        x += scale * advance;
    }
    return x;
}

double scale_for(double height) { return height / font().capital; }

// Lays the colour over the image where the glyph covers it.
void draw_glyph(Image& image, int character, double x, double baseline, double scale,
                const Vec3f& color) {
    const auto s = static_cast<float>(scale);
    const double left = std::floor(x), top = std::floor(baseline);
    const auto dx = static_cast<float>(x - left), dy = static_cast<float>(baseline - top);
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    stbtt_GetCodepointBitmapBoxSubpixel(&font().info, character, s, s, dx, dy, &x0, &y0, &x1, &y1);
    const int width = x1 - x0, height = y1 - y0;
    if (width <= 0 || height <= 0 || width > 4096 || height > 4096) return;
    std::vector<unsigned char> cover(static_cast<std::size_t>(width) *
                                     static_cast<std::size_t>(height));
    stbtt_MakeCodepointBitmapSubpixel(&font().info, cover.data(), width, height, width, s, s, dx,
                                      dy, character);
    for (int j = 0; j < height; ++j)
        for (int i = 0; i < width; ++i) {
            const int px = static_cast<int>(left) + x0 + i, py = static_cast<int>(top) + y0 + j;
            if (px < 0 || py < 0 || px >= image.width || py >= image.height) continue;
            const float share =
                static_cast<float>(cover[static_cast<std::size_t>(j * width + i)]) / 255;
            std::uint8_t* p = image.pixel(px, py);
            for (int k = 0; k < 3; ++k) {
                const float under = p[k];
                p[k] = static_cast<std::uint8_t>(under + share * (255 * color[k] - under) + 0.5f);
            }
        }
}

}  // namespace

double text_width(const std::string& text, double height) {
    return walk(text, scale_for(height), [](int, double) {});
}

void draw_text(Image& image, const std::string& text, double x, double y, double height,
               const Vec3f& color) {
    const double scale = scale_for(height);
    walk(text, scale, [&](int character, double at) {
        draw_glyph(image, character, x + at, y + height, scale, color);
    });
}

}  // namespace knead::render
