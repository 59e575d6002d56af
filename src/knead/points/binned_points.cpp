#include "knead/points/binned_points.h"

#include "knead/geometry/box3.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

std::vector<PointRef> rows(std::size_t n) {
    std::vector<PointRef> refs(n);
    for_each(n, 1 << 14, [&](std::size_t i) { refs[i] = {0, static_cast<std::uint32_t>(i)}; });
    return refs;
}

Box3 bounds_of(std::span<const Vec3d> points) {
    return reduce(
        points.size(), Box3{},
        [&](std::size_t i) {
            return Box3{points[i], points[i]};
        },
        [](Box3 a, const Box3& b) {
            a.add(b);
            return a;
        });
}

}  // namespace

BinnedPoints::BinnedPoints(std::span<const Vec3d> points, double cell)
    : grid_({points.begin(), points.end()}, rows(points.size()), cell) {
    if (points.empty()) return;
    const Box3 box = bounds_of(points);
    middle_ = box.center();
    slack_ = 1e-6 * length(box.size());
    row_.resize(grid_.size() + 8, 0);
    for_each(grid_.size(), 4096, [&](std::size_t i) { row_[i] = grid_.ref(i).row; });
    for (int a = 0; a < 3; ++a) {
        x_[a].resize(grid_.size() + 8, 0.0f);
        for_each(grid_.size(), 4096, [&](std::size_t i) {
            x_[a][i] = static_cast<float>(grid_.point(i)[a] - middle_[a]);
        });
    }
}

}  // namespace knead
