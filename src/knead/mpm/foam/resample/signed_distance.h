// Distance to the surface of the matter, negative inside: the matter is the union of spheres of
// radius r around the particles, seen on a block-sparse grid of spacing r. [Yue 2015, Alg. 2]
// Lengths here are in units of r, capped at 4.
#pragma once

#include <array>

#include "knead/particles/point_grid.h"

namespace knead {

class SignedDistance {
public:
    static constexpr double cap = 4;
    static constexpr int tile_width = PointGrid::width + 1;
    using Tile = std::array<double, tile_width * tile_width * tile_width>;
    using Corners = std::array<double, 8>;  // of a cell; x is the highest bit

    // The cells of the point grid are the cells of this grid; their width is the radius.
    explicit SignedDistance(const PointGrid& points);

    double radius() const { return radius_; }
    // At a point [m], by trilinear interpolation.
    double operator()(const Vec3d& x) const;
    double at_node(const Vec3i& node) const;
    Corners corners(const Vec3i& cell) const;

    // Blocks of 8 x 8 x 8 nodes; space without a block is far outside.
    const CellMap& blocks() const { return blocks_; }
    // The nodes of a block and the next layer beyond it, z fastest.
    void load_tile(std::size_t block, Tile& tile) const;

private:
    using Crossings = std::vector<std::vector<Vec3d>>;  // by block, from the block's first node

    void mark_blocks(const PointGrid& points);
    void measure_to_spheres(const PointGrid& points, std::size_t block);
    template <class Wanted>
    void measure_within(const PointGrid& points, std::size_t block, int reach,
                        const Wanted& wanted);
    void find_crossings(std::size_t block, std::vector<Vec3d>& crossings) const;
    void measure_to_crossings(std::size_t block, const Crossings& crossings);
    double* nodes(std::size_t block) { return values_.data() + block * PointGrid::block_cells; }

    double radius_;
    CellMap blocks_;
    std::vector<double> values_;
};

}  // namespace knead
