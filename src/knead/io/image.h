// Pictures: eight bits a channel, RGB, rows from the top. PNG in and out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace knead {

struct Image {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgb;  // 3 * width * height

    Image() = default;
    Image(int w, int h) : width(w), height(h), rgb(std::size_t(3) * std::size_t(w * h)) {}
    std::uint8_t* pixel(int x, int y) { return &rgb[std::size_t(3) * std::size_t(y * width + x)]; }
    const std::uint8_t* pixel(int x, int y) const {
        return &rgb[std::size_t(3) * std::size_t(y * width + x)];
    }
};

void write_png(const std::string& path, const Image& image);
Image read_png(const std::string& path);  // InputError where the file is broken

}  // namespace knead
