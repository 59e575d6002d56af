#include "knead/points/neighbours/hash_grid.h"

#include <algorithm>

namespace knead {

namespace {

std::vector<PointRef> rows(std::size_t n) {
    std::vector<PointRef> refs(n);
    for (std::size_t i = 0; i < n; ++i) refs[i] = {0, static_cast<std::uint32_t>(i)};
    return refs;
}

// Keeps the k nearest, in order.
void keep_nearest(std::vector<Found>& found, std::size_t k) {
    if (found.size() > k) {
        std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(k),
                         found.end());
        found.resize(k);
    }
    std::sort(found.begin(), found.end());
}

}  // namespace

HashGridSearch::HashGridSearch(std::span<const Vec3d> points, double cell)
    : grid_({points.begin(), points.end()}, rows(points.size()), cell) {}

void HashGridSearch::within(const Vec3d& x, double radius, std::vector<Found>& found) const {
    found.clear();
    grid_.for_each_within(x, radius, [&](std::uint32_t, std::uint32_t row, double d2) {
        found.push_back({d2, row});
    });
}

// Looks within a growing radius until there are enough.
void HashGridSearch::nearest(const Vec3d& x, std::size_t k, double radius, std::uint32_t self,
                             std::vector<Found>& found) const {
    const auto is_self = [self](const Found& f) { return f.index == self; };
    for (double r = std::min(radius, grid_.cell_width());; r = std::min(radius, 1.5 * r)) {
        within(x, r, found);
        const bool all = found.size() == grid_.size();
        std::erase_if(found, is_self);
        if (found.size() >= k || !(r < radius) || all) return keep_nearest(found, k);
    }
}

}  // namespace knead
