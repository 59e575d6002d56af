// Linear light and the sRGB curve that screens and pictures expect.
#pragma once

#include <cmath>
#include <cstdint>

namespace knead {

inline float srgb_of_linear(float a) {
    return a <= 0.0031308f ? 12.92f * a : 1.055f * std::pow(a, 1 / 2.4f) - 0.055f;
}

inline float linear_of_srgb(float a) {
    return a <= 0.04045f ? a / 12.92f : std::pow((a + 0.055f) / 1.055f, 2.4f);
}

inline std::uint8_t srgb_byte(float linear) {
    const float s = linear > 0 ? srgb_of_linear(linear < 1 ? linear : 1) : 0;
    return static_cast<std::uint8_t>(255 * s + 0.5f);
}

}  // namespace knead
