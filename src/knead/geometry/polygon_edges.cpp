#include "knead/geometry/polygon_edges.h"

#include <algorithm>
#include <array>

namespace knead {

namespace {

using Box2 = std::array<double, 4>;

Box2 around(const Box2& a, const Box2& b) {
    return {std::min(a[0], b[0]), std::min(a[1], b[1]), std::max(a[2], b[2]), std::max(a[3], b[3])};
}

// One box for every eight.
std::vector<Box2> next_level(const std::vector<Box2>& boxes) {
    std::vector<Box2> next;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (i % polygon_fan == 0) next.push_back(boxes[i]);
        next.back() = around(next.back(), boxes[i]);
    }
    return next;
}

}  // namespace

std::vector<double> polygon_tree(const std::vector<double>& corners) {
    const std::size_t n = corners.size() / 2;
    if (n <= static_cast<std::size_t>(polygon_tree_from)) return {};
    std::vector<Box2> level;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t j = (i + 1) % n;
        const double ax = corners[2 * i], ay = corners[2 * i + 1];
        const double bx = corners[2 * j], by = corners[2 * j + 1];
        level.push_back({std::min(ax, bx), std::min(ay, by), std::max(ax, bx), std::max(ay, by)});
    }
    std::vector<double> numbers;
    while (level.size() > static_cast<std::size_t>(polygon_fan)) {
        level = next_level(level);
        for (const Box2& box : level) numbers.insert(numbers.end(), box.begin(), box.end());
    }
    return numbers;
}

}  // namespace knead
