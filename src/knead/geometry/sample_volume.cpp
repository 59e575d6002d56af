#include "knead/geometry/sample_volume.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "knead/base/error.h"
#include "knead/geometry/ball_test.h"
#include "knead/geometry/shape_blocks.h"
#include "knead/parallel/exec.h"

namespace knead {

void check_spacing(const SdfShape& shape, double spacing) {
    if (!(spacing > 0 && is_finite(spacing)))
        throw InputError(Place{}, fmt::format("the spacing between points is {}", spacing),
                         "give a number above 0");
    if (!shape.bounded())
        throw InputError(Place{}, "the shape has no end, so it cannot be filled with points",
                         "cut it with a box by intersect");
    constexpr double most_points = 1e10, most_along = 1e12;
    const Vec3d n = shape.bounds().size() / spacing;
    if (shape.bounds().empty() || n.x * n.y * n.z < most_points) return;
    if (max(n.x, max(n.y, n.z)) > most_along ||
        measured_volume(shape) > most_points * spacing * spacing * spacing)
        throw InputError(Place{},
                         fmt::format("a spacing of {:.3g} m fills the shape with far too many "
                                     "points",
                                     spacing),
                         "check the units, or take a larger spacing");
}

namespace {

constexpr int block = 8;  // lattice points along one side of a block

// The lattice cut into blocks, each judged as a whole first.
class Lattice {
public:
    Lattice(const SdfShape& shape, double spacing, const Vec3d& origin)
        : shape_(shape),
          spacing_(spacing),
          origin_(origin),
          judge_(shape, 0.5 * (block - 1) * spacing * std::sqrt(3.)) {
        const Box3 box = shape.bounds();
        BlockIndex count;
        for (int a = 0; a < 3; ++a) {
            first_[a] = static_cast<long long>(std::floor((box.lo[a] - origin[a]) / spacing - 0.5));
            const double last = std::ceil((box.hi[a] - origin[a]) / spacing - 0.5);
            count[a] = (static_cast<long long>(last) - first_[a] + block) / block;
        }
        const Vec3d lo = origin + spacing * static_cast<Vec3d>(first_);
        blocks_ = blocks_near(shape, lo, block * spacing, count);
    }
    std::vector<Vec3d> points() const {
        std::vector<std::vector<Vec3d>> found(parts());
        for_each(parts(), 4, [&](std::size_t part) {
            visit_part(part, [&](const Vec3d& p) { found[part].push_back(p); });
        });
        std::size_t total = 0;
        for (const auto& f : found) total += f.size();
        std::vector<Vec3d> result;
        result.reserve(total);
        for (auto& f : found) {
            result.insert(result.end(), f.begin(), f.end());
            f = {};
        }
        return result;
    }
    std::size_t count() const {
        const auto in_part = [&](std::size_t part) {
            std::size_t n = 0;
            visit_part(part, [&](const Vec3d&) { ++n; });
            return n;
        };
        return reduce(parts(), std::size_t{0}, in_part, std::plus<>{});
    }

private:
    static constexpr std::size_t together = 16;  // blocks
    const SdfShape& shape_;
    double spacing_;
    Vec3d origin_;
    BallTest judge_;
    Vec3<long long> first_;
    std::vector<BlockIndex> blocks_;

    Vec3d point(const Vec3<long long>& at) const {
        return origin_ + spacing_ * (static_cast<Vec3d>(first_ + at) + splat(0.5));
    }
    std::size_t parts() const { return (blocks_.size() + together - 1) / together; }
    template <class F>
    void visit_part(std::size_t part, const F& f) const {
        const std::size_t end = std::min((part + 1) * together, blocks_.size());
        for (std::size_t b = part * together; b < end; ++b)
            visit_block(static_cast<long long>(block) * blocks_[b], f);
    }
    template <class F>
    void visit_block(const Vec3<long long>& at, const F& f) const {
        const Vec3<long long> end = at + Vec3<long long>{block - 1, block - 1, block - 1};
        const Side side = judge_(0.5 * (point(at) + point(end)));
        if (side == Side::outside) return;
        for (long long k = at.z; k <= end.z; ++k)
            for (long long j = at.y; j <= end.y; ++j)
                for (long long i = at.x; i <= end.x; ++i) {
                    const Vec3d p = point({i, j, k});
                    if (side == Side::inside || shape_.distance(p) < 0) f(p);
                }
    }
};

}  // namespace

std::vector<Vec3d> sample_lattice(const SdfShape& shape, double spacing, const Vec3d& origin) {
    check_spacing(shape, spacing);
    if (shape.bounds().empty()) return {};
    return Lattice(shape, spacing, origin).points();
}

std::size_t count_lattice(const SdfShape& shape, double spacing) {
    check_spacing(shape, spacing);
    if (shape.bounds().empty()) return 0;
    return Lattice(shape, spacing, {0, 0, 0}).count();
}

}  // namespace knead
