// A frame with a square sheet (body 0, rows 0 to 3), a line of two segments (body 1, rows 4 to 6)
// and a grain (body 2, row 7).
#pragma once

#include "knead/io/frame.h"

namespace knead::test {

inline Frame thin_frame(int number = 1, float lift = 0) {
    Frame frame{number, 0.1 * number, 8, {}};
    const auto column = [&](const char* name, std::vector<float> values) {
        frame.columns.push_back({name, std::move(values)});
    };
    column("x", {0, 1, 1, 0, 0, 1, 2, 5});
    column("y", {lift, lift, lift, lift, 1, 1.5f, 1, 5});
    column("z", {0, 0, -1, -1, 0, 0, 0, 5});
    column("pscale", {0.1f, 0.1f, 0.1f, 0.1f, 0.05f, 0.05f, 0.05f, 0.5f});
    frame.columns.push_back({"body", std::vector<std::int32_t>{0, 0, 0, 0, 1, 1, 1, 2}});
    frame.triangles.corners = {{0, 1, 2}, {0, 2, 3}};
    frame.triangles.uv = {{0, 0, 1, 0, 1, 1}, {0, 0, 1, 1, 0, 1}};
    frame.triangles.columns = {{"body", std::vector<std::int32_t>{0, 0}},
                               {"r33", std::vector<float>{1, 0.5f}}};
    frame.segments.corners = {{4, 5}, {5, 6}};
    frame.segments.columns = {{"body", std::vector<std::int32_t>{1, 1}},
                              {"slip", std::vector<float>{0, 2}}};
    return frame;
}

}  // namespace knead::test
