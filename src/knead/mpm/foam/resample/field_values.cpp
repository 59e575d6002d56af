#include "knead/mpm/foam/resample/field_values.h"

#include <algorithm>
#include <memory>

#include "knead/math/bspline.h"
#include "knead/mpm/foam/resample/fields.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

// The 4 x 4 x 4 nodes around a point and their weights.
struct CubicSupport {
    Vec3i first;
    double w[3][4];

    CubicSupport(const Vec3d& x, double dx) {
        for (int a = 0; a < 3; ++a) {
            const double u = x[a] / dx;
            first[a] = static_cast<int>(std::floor(u)) - 1;
            double slope[4];
            bspline_weights<3>(u - first[a], w[a], slope);
        }
    }
    template <class Visit>
    void for_each_node(Visit&& visit) const {
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                for (int k = 0; k < 4; ++k)
                    visit(first + Vec3i{i, j, k}, w[0][i] * w[1][j] * w[2][k]);
    }
};

// The blocks of 4 x 4 x 4 nodes that births need, and the mass-weighted sums at their nodes.
struct NodeBlocks {
    CellMap blocks;
    std::vector<FieldRow> sums;  // 64 a block

    static Vec3i block_of(const Vec3i& node) { return {node.x >> 2, node.y >> 2, node.z >> 2}; }
    static std::size_t index_of(const Vec3i& node) {
        return static_cast<std::size_t>(((node.x & 3) << 4) | ((node.y & 3) << 2) | (node.z & 3));
    }
    // The blocks of a support's nodes, given the first of them.
    void need(const Vec3i& first) {
        const Vec3i lo = block_of(first), hi = block_of(first + splat(3));
        for (int i = lo.x; i <= hi.x; ++i)
            for (int j = lo.y; j <= hi.y; ++j)
                for (int k = lo.z; k <= hi.z; ++k) blocks.insert({i, j, k});
    }
    const FieldRow& at(const Vec3i& node) const {
        return sums[std::size_t{64} * blocks.find(block_of(node)) + index_of(node)];
    }
};

// The 7 x 7 x 7 nodes that particles in a block of the point grid reach: four cells of width dx a
// side, from one node before the first.
struct FieldTile {
    static constexpr int width = 7;
    std::array<FieldRow, width * width * width> sums;

    FieldRow& at(int i, int j, int k) {
        return sums[static_cast<std::size_t>((i * width + j) * width + k)];
    }
    void clear(std::size_t used) {
        for (FieldRow& row : sums) std::fill(row.begin(), row.begin() + used, 0.0);
    }
    void add_to(const Vec3i& first, NodeBlocks& nodes, std::size_t used) {
        for (int n = 0; n < 27; ++n) {
            const Vec3i block =
                NodeBlocks::block_of(first + splat(1)) + Vec3i{n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
            const std::uint32_t b = nodes.blocks.find(block);
            if (b == CellMap::none) continue;
            for (int c = 0; c < 64; ++c) {
                const Vec3i node = 4 * block + Vec3i{c >> 4, (c >> 2) & 3, c & 3} - first;
                if (least(node) < 0 || largest(node) >= width) continue;
                add_row(nodes.sums[std::size_t{64} * b + static_cast<std::size_t>(c)], 1,
                        at(node.x, node.y, node.z), used);
            }
        }
    }
    static int least(const Vec3i& v) { return std::min({v.x, v.y, v.z}); }
    static int largest(const Vec3i& v) { return std::max({v.x, v.y, v.z}); }
};

bool any_needed(const Vec3i& block, const CellMap& needed) {
    for (int n = 0; n < 27; ++n)
        if (needed.find(block + Vec3i{n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1}) != CellMap::none)
            return true;
    return false;
}

// The particles of one phase in block b of the point grid, to the nodes.  [Yue 2015, Eq. 19]
template <class Real>
void scatter_block(const Particles<Real>& p, std::uint32_t phase, const PointGrid& points,
                   double dx, std::size_t b, FieldTile& tile, NodeBlocks& nodes) {
    const Vec3i& block = points.blocks().cell(b);  // eight cells of dx / 2, so four of dx
    if (!any_needed(block, nodes.blocks)) return;
    const Vec3i first = 4 * block - splat(1);
    const std::size_t used = used_fields(p);
    tile.clear(used);
    for (std::uint32_t i = points.first_point(b); i < points.first_point(b + 1); ++i) {
        if (points.ref(i).phase != phase) continue;
        const std::size_t row = points.ref(i).row;
        const FieldRow fields = read_fields(p, row);
        const double m_p = static_cast<double>(p.mass.at(row));
        const CubicSupport support(points.point(i), dx);
        const Vec3i at = support.first - first;
        for (int x = 0; x < 4; ++x)
            for (int y = 0; y < 4; ++y)
                for (int z = 0; z < 4; ++z)
                    add_row(tile.at(at.x + x, at.y + y, at.z + z),
                            m_p * support.w[0][x] * support.w[1][y] * support.w[2][z], fields,
                            used);
    }
    tile.add_to(first, nodes, used);
}

// All blocks, in eight rounds: those of one round share no node, so sums have a fixed order.
template <class Real>
void scatter_fields(const Particles<Real>& p, std::uint32_t phase, const PointGrid& points,
                    double dx, NodeBlocks& nodes) {
    nodes.sums.resize(64 * nodes.blocks.size());
    std::vector<std::vector<std::size_t>> rounds(8);
    for (std::size_t b = 0; b < points.blocks().size(); ++b) {
        const Vec3i& at = points.blocks().cell(b);
        rounds[static_cast<std::size_t>((at.x & 1) << 2 | (at.y & 1) << 1 | (at.z & 1))].push_back(
            b);
    }
    for (const auto& round : rounds)
        parallel_chunks(round.size(), 4, [&](std::size_t begin, std::size_t end) {
            const auto tile = std::make_unique<FieldTile>();
            for (std::size_t k = begin; k < end; ++k)
                scatter_block(p, phase, points, dx, round[k], *tile, nodes);
        });
}

template <class Real>
void interpolate_phase(Particles<Real>& p, std::uint32_t phase, const PointGrid& points, double dx,
                       const std::vector<Birth>& births, const std::vector<std::size_t>& rows) {
    NodeBlocks nodes;
    for (const Birth& birth : births)
        if (birth.nearest.phase == phase) nodes.need(CubicSupport(birth.x, dx).first);
    if (nodes.blocks.size() == 0) return;
    scatter_fields(p, phase, points, dx, nodes);

    const std::size_t used = used_fields(p);
    for_each(births.size(), 64, [&](std::size_t b) {
        if (births[b].nearest.phase != phase) return;
        FieldRow mean{};
        CubicSupport(births[b].x, dx).for_each_node([&](const Vec3i& i, double w) {
            const FieldRow& node = nodes.at(i);
            if (node[0] > 0) add_row(mean, w / node[0], node, used);  // else an empty node
        });
        set_fields(p, rows[b], mean, births[b].nearest.row);
    });
}

}  // namespace

template <class Real>
void interpolate_fields(std::vector<Phase<Real>>& phases, const PointGrid& points, double dx,
                        const std::vector<Birth>& births, const std::vector<std::size_t>& rows) {
    for (std::uint32_t phase = 0; phase < phases.size(); ++phase)
        interpolate_phase(phases[phase].particles, phase, points, dx, births, rows);
}

template void interpolate_fields(std::vector<Phase<float>>&, const PointGrid&, double,
                                 const std::vector<Birth>&, const std::vector<std::size_t>&);
template void interpolate_fields(std::vector<Phase<double>>&, const PointGrid&, double,
                                 const std::vector<Birth>&, const std::vector<std::size_t>&);

}  // namespace knead
