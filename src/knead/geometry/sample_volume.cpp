#include "knead/geometry/sample_volume.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "knead/base/error.h"
#include "knead/geometry/ball_test.h"
#include "knead/parallel/exec.h"

namespace knead {

void check_spacing(const SdfShape& shape, double spacing) {
    if (!(spacing > 0 && is_finite(spacing)))
        throw InputError(Place{}, fmt::format("the spacing between points is {}", spacing),
                         "give a number above 0");
    if (!shape.bounded())
        throw InputError(Place{}, "the shape has no end, so it cannot be filled with points",
                         "cut it with a box by intersect");
    const Vec3d n = shape.bounds().size() / spacing;
    if (!shape.bounds().empty() && n.x * n.y * n.z > 1e12)
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
        for (int a = 0; a < 3; ++a) {
            first_[a] = static_cast<long long>(std::floor((box.lo[a] - origin[a]) / spacing - 0.5));
            const double last = std::ceil((box.hi[a] - origin[a]) / spacing - 0.5);
            const auto count = static_cast<long long>(last) - first_[a] + 1;
            blocks_[a] = (count + block - 1) / block;
        }
    }
    std::vector<Vec3d> points() const {
        std::vector<std::vector<Vec3d>> found(rows());
        for_each(rows(), 4, [&](std::size_t r) {
            visit_row(r, [&](const Vec3d& p) { found[r].push_back(p); });
        });
        std::size_t total = 0;
        for (const auto& f : found) total += f.size();
        std::vector<Vec3d> result;
        result.reserve(total);
        for (const auto& f : found) result.insert(result.end(), f.begin(), f.end());
        return result;
    }
    std::size_t count() const {
        const auto in_row = [&](std::size_t r) {
            std::size_t n = 0;
            visit_row(r, [&](const Vec3d&) { ++n; });
            return n;
        };
        return reduce(rows(), std::size_t{0}, in_row, std::plus<>{});
    }

private:
    const SdfShape& shape_;
    double spacing_;
    Vec3d origin_;
    BallTest judge_;
    Vec3<long long> first_;
    Vec3<long long> blocks_;

    Vec3d point(const Vec3<long long>& at) const {
        return origin_ + spacing_ * (static_cast<Vec3d>(first_ + at) + splat(0.5));
    }
    std::size_t rows() const { return static_cast<std::size_t>(blocks_.y * blocks_.z); }
    template <class F>
    void visit_row(std::size_t r, const F& f) const {
        const auto row = static_cast<long long>(r);
        for (long long i = 0; i < blocks_.x; ++i)
            visit_block({i * block, row % blocks_.y * block, row / blocks_.y * block}, f);
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
