// PointGrid: the points of all phases, binned into cubic cells of any width for range queries.
// Space is cut into blocks of 8 x 8 x 8 cells and only blocks that hold a point are stored. Points
// are visited block by block, cell by cell, then by phase and row: the same for any thread count.
#pragma once

#include <cmath>

#include "knead/particles/cell_map.h"
#include "knead/particles/phase.h"

namespace knead {

struct PointRef {
    std::uint32_t phase, row;
    friend bool operator==(const PointRef&, const PointRef&) = default;
};

// Of which phases points are taken.
enum class PointsOf { all, volumes };

class PointGrid {
public:
    static constexpr int width = 8;  // cells a side of a block
    static constexpr std::uint32_t block_cells = width * width * width;

    template <class Real>
    PointGrid(const std::vector<Phase<Real>>& phases, double cell, PointsOf of = PointsOf::all);
    PointGrid(std::vector<Vec3d> points, std::vector<PointRef> refs, double cell);

    double cell_width() const { return cell_; }
    std::size_t size() const { return points_.size(); }
    const Vec3d& point(std::size_t i) const { return points_[i]; }
    const PointRef& ref(std::size_t i) const { return refs_[i]; }
    // Blocks with points, as coordinates in units of blocks.
    const CellMap& blocks() const { return blocks_; }
    // Points of block b are [first_point(b), first_point(b + 1)).
    std::uint32_t first_point(std::size_t block) const { return begin_[block * block_cells]; }

    Vec3i cell_of(const Vec3d& x) const {
        return {static_cast<int>(std::floor(x.x * inverse_)),
                static_cast<int>(std::floor(x.y * inverse_)),
                static_cast<int>(std::floor(x.z * inverse_))};
    }

    // visit(begin, end): runs of points that together fill the cells from lo to hi, both included.
    template <class Visit>
    void for_each_run(const Vec3i& lo, const Vec3i& hi, Visit&& visit) const {
        for (int bx = lo.x >> 3; bx <= hi.x >> 3; ++bx)
            for (int by = lo.y >> 3; by <= hi.y >> 3; ++by)
                for (int bz = lo.z >> 3; bz <= hi.z >> 3; ++bz) {
                    const std::uint32_t b = blocks_.find({bx, by, bz});
                    if (b != CellMap::none) runs_of_block(b, lo, hi, visit);
                }
    }

    // visit(phase, row, squared distance) for every point nearer than the radius.
    template <class Visit>
    void for_each_within(const Vec3d& x, double radius, Visit&& visit) const {
        const double limit = radius * radius;
        const Vec3i lo = cell_of(x - splat(radius)), hi = cell_of(x + splat(radius));
        for_each_run(lo, hi, [&](std::uint32_t begin, std::uint32_t end) {
            for (std::uint32_t i = begin; i < end; ++i) {
                const double d2 = length_squared(points_[i] - x);
                if (d2 < limit) visit(refs_[i].phase, refs_[i].row, d2);
            }
        });
    }

private:
    void build(std::vector<Vec3d> points, std::vector<PointRef> refs);

    template <class Visit>
    void runs_of_block(std::uint32_t b, const Vec3i& lo, const Vec3i& hi, Visit& visit) const {
        const Vec3i& block = blocks_.cell(b);
        Vec3i from, to;
        for (int a = 0; a < 3; ++a) {
            from[a] = lo[a] > 8 * block[a] ? lo[a] & 7 : 0;
            to[a] = hi[a] < 8 * block[a] + 7 ? hi[a] & 7 : 7;
        }
        const std::uint32_t* cells = begin_.data() + std::size_t{b} * block_cells;
        for (int i = from.x; i <= to.x; ++i)
            for (int j = from.y; j <= to.y; ++j) {
                const std::uint32_t* row = cells + (i << 6) + (j << 3);
                if (row[from.z] < row[to.z + 1]) visit(row[from.z], row[to.z + 1]);
            }
    }

    double cell_, inverse_;
    std::vector<Vec3d> points_;  // sorted by block and cell
    std::vector<PointRef> refs_;
    CellMap blocks_;
    std::vector<std::uint32_t> begin_;  // first point of each cell of each block, and the end
};

}  // namespace knead
