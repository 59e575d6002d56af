#include "knead/geometry/polygon2.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "knead/base/error.h"

namespace knead {

namespace {

using Corner = std::array<double, 2>;

// Twice the signed area of the triangle a b c.
double turn(const Corner& a, const Corner& b, const Corner& c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

bool in_span(const Corner& a, const Corner& b, const Corner& p) {
    return std::min(a[0], b[0]) <= p[0] && p[0] <= std::max(a[0], b[0]) &&
           std::min(a[1], b[1]) <= p[1] && p[1] <= std::max(a[1], b[1]);
}

// Whether the closed segments a b and c d share a point.
bool meet(const Corner& a, const Corner& b, const Corner& c, const Corner& d) {
    const double p = turn(a, b, c), q = turn(a, b, d), r = turn(c, d, a), s = turn(c, d, b);
    if (((p > 0) != (q > 0)) && p != 0 && q != 0 && ((r > 0) != (s > 0)) && r != 0 && s != 0)
        return true;
    return (p == 0 && in_span(a, b, c)) || (q == 0 && in_span(a, b, d)) ||
           (r == 0 && in_span(c, d, a)) || (s == 0 && in_span(c, d, b));
}

}  // namespace

std::vector<Corner> simple_counter_clockwise(const std::vector<Corner>& corners) {
    std::vector<Corner> ring;
    for (const Corner& c : corners) {
        if (!std::isfinite(c[0]) || !std::isfinite(c[1]))
            throw InputError(Place{}, fmt::format("a polygon corner is ({}, {})", c[0], c[1]),
                             "give finite numbers");
        if (ring.empty() || ring.back() != c) ring.push_back(c);
    }
    while (ring.size() > 1 && ring.front() == ring.back()) ring.pop_back();
    const std::size_t n = ring.size();
    double area = 0;
    for (std::size_t i = 0; i + 2 < n; ++i) area += turn(ring[0], ring[i + 1], ring[i + 2]);
    if (n < 3 || area == 0)
        throw InputError(Place{}, "the polygon has no area",
                         "give at least three corners that are not on one line");
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 2; j < n; ++j) {
            if (i == 0 && j + 1 == n) continue;  // neighbours around the end
            if (meet(ring[i], ring[i + 1], ring[j], ring[(j + 1) % n]))
                throw InputError(Place{},
                                 fmt::format("the polygon crosses itself: its edges {} and {} "
                                             "meet",
                                             i + 1, j + 1),
                                 "order the corners along the outline");
        }
    if (area < 0) std::reverse(ring.begin(), ring.end());
    return ring;
}

}  // namespace knead
