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
    // Sum of the inner share of every cell, in cells.
    double volume() const {
        const BallTest judge(shape_, (0.5 * (block - 1) * std::sqrt(3.) + cell_reach) * spacing_);
        const auto in_part = [&](std::size_t part) {
            double sum = 0;
            for_each_block(part, [&](const Vec3<long long>& at) {
                visit_block(at, judge, [&](const Vec3d& p, Side side) {
                    sum += side == Side::inside ? 1 : inner_share(p);
                });
            });
            return sum;
        };
        return reduce(parts(), 0.0, in_part, std::plus<>{});
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
    static constexpr int pieces = 3;             // of a cell along an axis
    static constexpr double cell_reach = 1.04;   // sqrt(3)/2 and half a piece
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
    // Of the cell around p. A piece that the surface cuts counts by how far its middle is from it.
    double inner_share(const Vec3d& p) const {
        const double d = shape_.distance(p) / spacing_;
        if (std::abs(d) > cell_reach) return d < 0 ? 1 : 0;
        double sum = 0;
        for (int n = 0; n < pieces * pieces * pieces; ++n) {
            const Vec3d at{n % pieces + 0.5, n / pieces % pieces + 0.5,
                           n / (pieces * pieces) + 0.5};
            const Vec3d middle = p + spacing_ * (at / pieces - splat(0.5));
            sum += std::clamp(0.5 - pieces * shape_.distance(middle) / spacing_, 0.0, 1.0);
        }
        return sum / (pieces * pieces * pieces);
    }
    template <class F>
    void for_each_block(std::size_t part, const F& f) const {
        const std::size_t end = std::min((part + 1) * together, blocks_.size());
        for (std::size_t b = part * together; b < end; ++b)
            f(static_cast<long long>(block) * blocks_[b]);
    }
    // The points inside.
    template <class F>
    void visit_part(std::size_t part, const F& f) const {
        for_each_block(part, [&](const Vec3<long long>& at) {
            visit_block(at, judge_, [&](const Vec3d& p, Side side) {
                if (side == Side::inside || shape_.distance(p) < 0) f(p);
            });
        });
    }
    // All points of a block that is not wholly outside, with what is known of them.
    template <class F>
    void visit_block(const Vec3<long long>& at, const BallTest& judge, const F& f) const {
        const Vec3<long long> end = at + Vec3<long long>{block - 1, block - 1, block - 1};
        const Side side = judge(0.5 * (point(at) + point(end)));
        if (side == Side::outside) return;
        for (long long k = at.z; k <= end.z; ++k)
            for (long long j = at.y; j <= end.y; ++j)
                for (long long i = at.x; i <= end.x; ++i) f(point({i, j, k}), side);
    }
};

}  // namespace

std::vector<Vec3d> sample_lattice(const SdfShape& shape, double spacing, const Vec3d& origin) {
    check_spacing(shape, spacing);
    if (shape.bounds().empty()) return {};
    return Lattice(shape, spacing, origin).points();
}

double lattice_volume(const SdfShape& shape, double spacing) {
    check_spacing(shape, spacing);
    if (shape.bounds().empty()) return 0;
    return Lattice(shape, spacing, {0, 0, 0}).volume() * spacing * spacing * spacing;
}

std::size_t count_lattice(const SdfShape& shape, double spacing) {
    check_spacing(shape, spacing);
    if (shape.bounds().empty()) return 0;
    return Lattice(shape, spacing, {0, 0, 0}).count();
}

}  // namespace knead
