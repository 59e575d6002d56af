// Colours of points and vertices, by the body they belong to; grey where none is given.
#pragma once

#include "knead/io/frame.h"

namespace knead {

inline Vec3f color_of_body(const std::vector<Vec3f>& colors, std::int32_t body) {
    const auto b = static_cast<std::size_t>(body);
    return b < colors.size() ? colors[b] : Vec3f{0.8f, 0.8f, 0.8f};
}

inline std::vector<Vec3f> colors_of_points(const Frame& frame, const std::vector<Vec3f>& colors) {
    std::vector<Vec3f> result(frame.count, color_of_body({}, 0));
    if (!frame.find("body")) return result;
    const std::vector<std::int32_t> body = frame.integers("body");
    for (std::size_t i = 0; i < frame.count; ++i) result[i] = color_of_body(colors, body[i]);
    return result;
}

}  // namespace knead
