#include "knead/particles/point_grid.h"

#include <algorithm>

#include "knead/base/check.h"
#include "knead/base/error.h"
#include "knead/parallel/exec.h"
#include "knead/parallel/sort.h"

namespace knead {

namespace {

constexpr std::size_t grain = 1 << 13;
constexpr int cell_limit = 1 << 29;  // coordinates lie in [-limit, limit]

struct CellBox {
    Vec3i lo{cell_limit, cell_limit, cell_limit};
    Vec3i hi{-cell_limit, -cell_limit, -cell_limit};
};

CellBox join(const CellBox& a, const CellBox& b) {
    return {{std::min(a.lo.x, b.lo.x), std::min(a.lo.y, b.lo.y), std::min(a.lo.z, b.lo.z)},
            {std::max(a.hi.x, b.hi.x), std::max(a.hi.y, b.hi.y), std::max(a.hi.z, b.hi.z)}};
}

// A running number for cells: block by block in lexicographic order, cell by cell within a block.
struct CellOrder {
    Vec3i lo;  // first block
    std::uint64_t ny, nz;

    explicit CellOrder(const CellBox& box)
        : lo{box.lo.x >> 3, box.lo.y >> 3, box.lo.z >> 3},
          ny(static_cast<std::uint64_t>((box.hi.y >> 3) - lo.y + 1)),
          nz(static_cast<std::uint64_t>((box.hi.z >> 3) - lo.z + 1)) {
        const double blocks = static_cast<double>((box.hi.x >> 3) - lo.x + 1) *
                              static_cast<double>(ny) * static_cast<double>(nz);
        if (!(blocks < 0x1p54))
            throw RunError("the particles are spread too far apart to be binned");
    }
    std::uint64_t key(const Vec3i& c) const {
        const auto bx = static_cast<std::uint64_t>((c.x >> 3) - lo.x);
        const auto by = static_cast<std::uint64_t>((c.y >> 3) - lo.y);
        const auto bz = static_cast<std::uint64_t>((c.z >> 3) - lo.z);
        const int inner = ((c.x & 7) << 6) | ((c.y & 7) << 3) | (c.z & 7);
        return (((bx * ny + by) * nz + bz) << 9) | static_cast<std::uint64_t>(inner);
    }
};

}  // namespace

template <class Real>
PointGrid::PointGrid(const std::vector<Phase<Real>>& phases, double cell, PointsOf of)
    : cell_(cell), inverse_(1 / cell) {
    const auto counts = [of](const Phase<Real>& phase) {
        return of == PointsOf::all || phase.is_volume();
    };
    std::size_t n = 0;
    for (const auto& phase : phases) n += counts(phase) ? phase.particles.size() : 0;
    std::vector<Vec3d> points(n);
    std::vector<PointRef> refs(n);
    std::size_t start = 0;
    for (std::uint32_t p = 0; p < phases.size(); ++p) {
        if (!counts(phases[p])) continue;
        const auto& x = phases[p].particles.x;
        for_each(x.size(), grain, [&](std::size_t i) {
            points[start + i] = x.vec(i);
            refs[start + i] = {p, static_cast<std::uint32_t>(i)};
        });
        start += x.size();
    }
    build(std::move(points), std::move(refs));
}

PointGrid::PointGrid(std::vector<Vec3d> points, std::vector<PointRef> refs, double cell)
    : cell_(cell), inverse_(1 / cell) {
    CHECK(points.size() == refs.size(), "%zu points, %zu names", points.size(), refs.size());
    build(std::move(points), std::move(refs));
}

void PointGrid::build(std::vector<Vec3d> points, std::vector<PointRef> refs) {
    const std::size_t n = points.size();
    const double far = cell_limit * cell_;
    const CellBox box = reduce(
        n, CellBox{},
        [&](std::size_t i) {
            const Vec3d& x = points[i];
            if (!(std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)}) < far))
                throw RunError("a particle left the space the grid can number");
            const Vec3i c = cell_of(x);
            return CellBox{c, c};
        },
        join);
    begin_.assign(1, 0);
    if (n == 0) return;

    // sort by cell
    const CellOrder cells(box);
    std::vector<std::uint64_t> keys(n);
    for_each(n, grain, [&](std::size_t i) { keys[i] = cells.key(cell_of(points[i])); });
    std::vector<std::uint32_t> order;
    sort_by_key(keys, order);
    points_.resize(n);
    refs_.resize(n);
    for_each(n, grain, [&](std::size_t i) {
        points_[i] = points[order[i]];
        refs_[i] = refs[order[i]];
    });

    // one entry a block
    std::vector<std::uint32_t> first;
    for (std::size_t i = 0; i < n; ++i) {
        if (i > 0 && keys[i] >> 9 == keys[i - 1] >> 9) continue;
        first.push_back(static_cast<std::uint32_t>(i));
        const Vec3i c = cell_of(points_[i]);
        blocks_.insert({c.x >> 3, c.y >> 3, c.z >> 3});
    }
    first.push_back(static_cast<std::uint32_t>(n));

    // where each cell of a block begins
    begin_.resize(blocks_.size() * block_cells + 1);
    for_each(blocks_.size(), 8, [&](std::size_t b) {
        std::uint32_t i = first[b];
        for (std::uint32_t c = 0; c < block_cells; ++c) {
            begin_[b * block_cells + c] = i;
            while (i < first[b + 1] && (keys[i] & 511) == c) ++i;
        }
    });
    begin_.back() = static_cast<std::uint32_t>(n);
}

template PointGrid::PointGrid(const std::vector<Phase<float>>&, double, PointsOf);
template PointGrid::PointGrid(const std::vector<Phase<double>>&, double, PointsOf);

}  // namespace knead
