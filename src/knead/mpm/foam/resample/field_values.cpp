#include "knead/mpm/foam/resample/field_values.h"

#include "knead/math/bspline.h"
#include "knead/mpm/foam/cubic_kernel.h"
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

// The nodes that births need, in blocks of 4 x 4 x 4, and the mass-weighted sums at them.
struct NodeBlocks {
    CellMap blocks;
    std::vector<std::uint64_t> needed;  // one bit a node
    std::vector<FieldRow> sums;         // 64 a block

    static int bit_of(const Vec3i& node) {
        return ((node.x & 3) << 4) | ((node.y & 3) << 2) | (node.z & 3);
    }
    static Vec3i block_of(const Vec3i& node) { return {node.x >> 2, node.y >> 2, node.z >> 2}; }
    void need(const Vec3i& node) {
        const std::uint32_t b = blocks.insert(block_of(node));
        if (b == needed.size()) needed.push_back(0);
        needed[b] |= std::uint64_t{1} << bit_of(node);
    }
    const FieldRow& at(const Vec3i& node) const {
        return sums[std::size_t{64} * blocks.find(block_of(node)) +
                    static_cast<std::size_t>(bit_of(node))];
    }
};

// Weights of a particle at the nodes of a block, u from the first of them, and the nodes it
// reaches.
struct BlockWeights {
    double w[3][4];
    std::uint64_t reached = 0;

    explicit BlockWeights(const Vec3d& u) {
        constexpr std::uint64_t layer[3] = {0xffff, 0x000f000f000f000f, 0x1111111111111111};
        constexpr int stride[3] = {16, 4, 1};
        std::uint64_t mask[3] = {0, 0, 0};
        for (int a = 0; a < 3; ++a)
            for (int k = 0; k < 4; ++k) {
                w[a][k] = cubic_weight(u[a] - k);
                if (w[a][k] > 0) mask[a] |= layer[a] << (k * stride[a]);
            }
        reached = mask[0] & mask[1] & mask[2];
    }
    double at(int bit) const { return w[0][bit >> 4] * w[1][(bit >> 2) & 3] * w[2][bit & 3]; }
};

// All particles of one phase around a block.
template <class Real>
void gather_block(const Particles<Real>& p, std::uint32_t phase, const PointGrid& points, double dx,
                  std::size_t b, NodeBlocks& nodes) {
    const Vec3i first = 4 * nodes.blocks.cell(b);
    const Vec3i cell = 2 * first;  // two cells of the point grid to a node
    const std::size_t used = used_fields(p);
    FieldRow* sums = nodes.sums.data() + 64 * b;
    points.for_each_run(cell - splat(4), cell + splat(9), [&](auto begin, auto end) {
        for (auto i = begin; i < end; ++i) {
            if (points.ref(i).phase != phase) continue;
            const BlockWeights w(points.point(i) / dx - static_cast<Vec3d>(first));
            std::uint64_t wanted = w.reached & nodes.needed[b];
            if (!wanted) continue;
            const std::size_t row = points.ref(i).row;
            const double m_p = static_cast<double>(p.mass.at(row));
            const FieldRow fields = read_fields(p, row);
            for (; wanted; wanted &= wanted - 1) {
                const int n = __builtin_ctzll(wanted);
                add_row(sums[n], m_p * w.at(n), fields, used);
            }
        }
    });
}

template <class Real>
void interpolate_phase(Particles<Real>& p, std::uint32_t phase, const PointGrid& points, double dx,
                       const std::vector<Birth>& births, const std::vector<std::size_t>& rows) {
    NodeBlocks nodes;
    for (const Birth& birth : births)
        if (birth.nearest.phase == phase)
            CubicSupport(birth.x, dx).for_each_node([&](const Vec3i& i, double) { nodes.need(i); });
    nodes.sums.resize(64 * nodes.blocks.size());
    for_each(nodes.blocks.size(), 1,
             [&](std::size_t b) { gather_block(p, phase, points, dx, b, nodes); });

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
