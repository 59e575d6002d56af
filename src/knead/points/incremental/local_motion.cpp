#include "knead/points/incremental/local_motion.h"

#include <algorithm>
#include <cmath>

#include "knead/math/svd.h"
#include "knead/parallel/exec.h"
#include "knead/particles/cell_map.h"

namespace knead {

namespace {

// Width of a region, in units of `near`.
constexpr double width = 1.35;

// D of the fit y - x = D x + const; 0 if the points are flat.
Mat3d linear_part(std::span<const Vec3d> from, std::span<const Vec3d> to) {
    struct Sums {
        Vec3d x{0, 0, 0}, move{0, 0, 0};
        Sym3d xx{};
        Mat3d move_x{};
    };
    const double n = static_cast<double>(from.size());
    const Sums s = reduce(
        from.size(), Sums{},
        [&](std::size_t i) {
            const Vec3d x = from[i] - from[0], move = to[i] - from[i];
            return Sums{x,
                        move,
                        {x.x * x.x, x.y * x.y, x.z * x.z, x.x * x.y, x.x * x.z, x.y * x.z},
                        outer(move, x)};
        },
        [](const Sums& a, const Sums& b) {
            return Sums{a.x + b.x, a.move + b.move, a.xx + b.xx, a.move_x + b.move_x};
        });
    const Vec3d x = s.x / n;
    const Sym3d xx =
        s.xx - n * Sym3d{x.x * x.x, x.y * x.y, x.z * x.z, x.x * x.y, x.x * x.z, x.y * x.z};
    const double size = trace(xx), det = determinant(xx);
    if (!(det > 1e-6 * size * size * size)) return Mat3d{};
    return (s.move_x - outer(s.move, x)) * static_cast<Mat3d>((1 / det) * adjugate(xx));
}

}  // namespace

void LocalMotion::start(std::span<const Vec3d> points, double near) {
    near_ = near;
    last_.assign(points.begin(), points.end());
    find_regions(points);
}

void LocalMotion::find_regions(std::span<const Vec3d> points) {
    spread_ = near_;
    CellMap cells;
    std::vector<std::uint32_t> region(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3d x = (1 / (width * near_)) * points[i];
        region[i] =
            cells.insert({static_cast<int>(std::floor(x.x)), static_cast<int>(std::floor(x.y)),
                          static_cast<int>(std::floor(x.z))});
    }
    touching_.resize(cells.size());
    for_each(cells.size(), 64, [&](std::size_t r) {
        for (int k = 0; k < 27; ++k) {
            const std::uint32_t other =
                cells.find(cells.cell(r) + Vec3i{k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1});
            touching_[r][static_cast<std::size_t>(k)] =
                other == CellMap::none ? static_cast<std::uint32_t>(r) : other;
        }
    });
    first_.assign(cells.size() + 1, 0);
    for (const std::uint32_t r : region) ++first_[r + 1];
    for (std::size_t r = 0; r < cells.size(); ++r) first_[r + 1] += first_[r];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    rows_.resize(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
        rows_[next[region[i]]++] = static_cast<std::uint32_t>(i);
}

double LocalMotion::apart(std::size_t region) const {
    const Box3& a = boxes_[region];
    double most = 0;
    for (const std::uint32_t other : touching_[region]) {
        const Box3& b = boxes_[other];
        most = std::max(most, length_squared(max(a.hi - b.lo, b.hi - a.lo)));
    }
    return std::sqrt(most);
}

// With y = L x + r up to a constant, |x_i - x_j| is at most (|y_i - y_j| + |r_i - r_j|) / s, s the
// least stretch of L. The bound for any two tells that those in question are of regions that touch.
bool LocalMotion::advance(std::span<const Vec3d> points, std::vector<PastDistance>& past) {
    if (points.size() != last_.size()) return false;
    const Mat3d linear = linear_part(last_, points);
    const double stretch = std::min(svd(identity3<double>() + linear).sigma.z, 1.0);
    const auto bound_steps = [&] {
        boxes_.assign(touching_.size(), Box3{});
        for_each(touching_.size(), 16, [&](std::size_t r) {
            for (std::uint32_t k = first_[r]; k < first_[r + 1]; ++k) {
                const Vec3d& from = last_[rows_[k]];
                boxes_[r].add(points[rows_[k]] - from - linear * (from - last_[0]));
            }
        });
    };
    bound_steps();
    Box3 all;
    for (const Box3& box : boxes_) all.add(box);
    const double any = length(all.size());
    if (!(stretch > 0.5) || !((near_ + any) / stretch < width * near_)) return false;
    if (!((spread_ + any) / stretch < width * near_)) {
        find_regions(last_);
        bound_steps();
    }
    spread_ = (spread_ + any) / stretch;
    for_each(touching_.size(), 16, [&](std::size_t r) {
        const double nearer = apart(r);
        for (const std::uint32_t i : points_of(r))
            past[i] = {past[i].factor / stretch, past[i].extra + past[i].factor * nearer / stretch};
    });
    std::copy(points.begin(), points.end(), last_.begin());
    return true;
}

std::size_t LocalMotion::bytes() const {
    return last_.capacity() * sizeof(Vec3d) + boxes_.capacity() * sizeof(Box3) +
           touching_.capacity() * sizeof(touching_[0]) +
           (first_.capacity() + rows_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace knead
