// The particles of all phases, binned into cubic cells on the GPU. Space is cut into blocks of
// 8 x 8 x 8 cells; there are blocks for all cells within a margin of a particle. Points are ordered
// by block and cell, then by phase and row. The same as PointGrid has on the host.
#pragma once

#include <span>

#include "knead/mpm/cuda/block_table.h"
#include "knead/mpm/cuda/cell_bounds.h"
#include "knead/mpm/cuda/device_phase.h"

namespace knead {

// What a point stands for.
struct CellPoint {
    int phase, row;
};

struct PointCellsView {
    static constexpr int width = 8;  // cells a side of a block
    static constexpr int block_cells = width * width * width;

    BlockTableView table;
    const Vec3i* blocks;  // coordinates
    const int* around;    // 27 a block: where its neighbours stand, -1 for none; x slowest
    const int* begin;     // first point of each cell, and the end
    const unsigned* cells;
    const Vec3d* points;  // in units of cells
    const CellPoint* refs;
    int block_count, size;
    double cell_width;

    __device__ static int cell_in_block(const Vec3i& c) {
        return ((c.x & 7) << 6) | ((c.y & 7) << 3) | (c.z & 7);
    }
    __device__ static Vec3i place_in_block(int cell) {
        return {(cell >> 6) & 7, (cell >> 3) & 7, cell & 7};
    }
    // The number of a cell that stands at `place` from the corner of a block, from -8 to 15 along
    // each axis; -1 where there is none.
    __device__ int cell_near(int block, const Vec3i& place) const {
        const int n = ((place.x >> 3) + 1) * 9 + ((place.y >> 3) + 1) * 3 + (place.z >> 3) + 1;
        const int other = around[27 * block + n];
        return other < 0 ? -1 : other * block_cells + cell_in_block(place);
    }
    __device__ Vec3i coordinates(int cell) const {
        return 8 * blocks[cell / block_cells] + place_in_block(cell);
    }
    // visit(begin, end): runs of points that fill the cells from lo to hi, both included.
    template <class Visit>
    __device__ void for_each_run(const Vec3i& lo, const Vec3i& hi, const Visit& visit) const {
        for (int bx = lo.x >> 3; bx <= hi.x >> 3; ++bx)
            for (int by = lo.y >> 3; by <= hi.y >> 3; ++by)
                for (int bz = lo.z >> 3; bz <= hi.z >> 3; ++bz) {
                    const int b = table.find({bx, by, bz});
                    if (b < 0) continue;
                    const int first = ::max(lo.z, 8 * bz) & 7, last = ::min(hi.z, 8 * bz + 7) & 7;
                    for (int x = ::max(lo.x, 8 * bx); x <= ::min(hi.x, 8 * bx + 7); ++x)
                        for (int y = ::max(lo.y, 8 * by); y <= ::min(hi.y, 8 * by + 7); ++y) {
                            const int* row =
                                begin + b * block_cells + ((x & 7) << 6 | (y & 7) << 3);
                            if (row[first] < row[last + 1]) visit(row[first], row[last + 1]);
                        }
                }
    }
    // visit(point, squared distance) for those nearer than `radius`; all in units of cells.
    template <class Visit>
    __device__ void for_each_within(const Vec3d& u, double radius, const Visit& visit) const {
        const Vec3i lo{static_cast<int>(floor(u.x - radius)), static_cast<int>(floor(u.y - radius)),
                       static_cast<int>(floor(u.z - radius))};
        const Vec3i hi{static_cast<int>(floor(u.x + radius)), static_cast<int>(floor(u.y + radius)),
                       static_cast<int>(floor(u.z + radius))};
        for_each_run(lo, hi, [&](int first, int end) {
            for (int i = first; i < end; ++i) {
                const double d2 = length_squared(points[i] - u);
                if (d2 < radius * radius) visit(i, d2);
            }
        });
    }
};

class PointCells {
public:
    static constexpr int margin = 4;  // cells around every particle that have a block

    void build(std::span<DevicePhase> phases, double cell_width, DeviceAlgorithms& algorithms,
               cudaStream_t stream);
    const PointCellsView& view() const { return view_; }
    int cell_count() const { return view_.block_count * PointCellsView::block_cells; }
    std::size_t bytes() const;

private:
    BlockBox box_of(std::span<DevicePhase> phases, double per_cell, cudaStream_t stream);
    void number_blocks(std::span<DevicePhase> phases, double per_cell, DeviceAlgorithms& algorithms,
                       cudaStream_t stream);

    PointCellsView view_{};
    BlockTable table_;
    DeviceArray<Vec3i> blocks_;
    DeviceArray<int> around_, begin_;
    DeviceArray<CellBounds> bounds_;
    DeviceArray<unsigned> keys_, cells_, numbers_, sorted_;
    DeviceArray<Vec3d> points_;
    DeviceArray<CellPoint> refs_;
};

}  // namespace knead
