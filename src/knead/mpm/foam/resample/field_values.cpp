#include "knead/mpm/foam/resample/field_values.h"

#include <algorithm>
#include <memory>

#include "knead/math/bspline.h"
#include "knead/math/wide.h"
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
template <class Real>
struct NodeBlocks {
    CellMap blocks;
    std::vector<FieldRowOf<Real>> sums;  // 64 a block

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
    const FieldRowOf<Real>& at(const Vec3i& node) const {
        return sums[std::size_t{64} * blocks.find(block_of(node)) + index_of(node)];
    }
};

// The 7 x 7 x 7 nodes that particles in a block of the point grid reach: four cells of width dx a
// side, from one node before the first.
template <class Real>
struct FieldTile {
    static constexpr int width = 7;
    std::array<FieldRowOf<Real>, width * width * width> sums;

    FieldRowOf<Real>& at(int i, int j, int k) {
        return sums[static_cast<std::size_t>((i * width + j) * width + k)];
    }
    void clear(std::size_t used) {
        for (auto& row : sums) std::fill(row.begin(), row.begin() + used, Real(0));
    }
    // To the nodes that are needed; the tile stands around `block`.
    void add_to(const Vec3i& block, NodeBlocks<Real>& nodes, std::size_t used) {
        constexpr int begin[] = {0, 1, 5, width};  // of the last block, of this one, of the next
        for (int n = 0; n < 27; ++n) {
            const int a = n / 9, b = n / 3 % 3, c = n % 3;
            const std::uint32_t other = nodes.blocks.find(block + Vec3i{a - 1, b - 1, c - 1});
            if (other == CellMap::none) continue;
            FieldRowOf<Real>* to = nodes.sums.data() + std::size_t{64} * other;
            for (int i = begin[a]; i < begin[a + 1]; ++i)
                for (int j = begin[b]; j < begin[b + 1]; ++j)
                    for (int k = begin[c]; k < begin[c + 1]; ++k) {
                        const auto& row = at(i, j, k);
                        auto& sum = to[NodeBlocks<Real>::index_of({i - 1, j - 1, k - 1})];
                        for (std::size_t l = 0; l < used; ++l) sum[l] += row[l];
                    }
        }
    }
};

// Particles of one cell of width dx. They reach the same nodes, so that sums are made in registers.
template <class Real>
class CellFields {
public:
    bool full() const { return count_ == room; }
    void add(std::uint32_t row, const Vec3d& from_first_node) {
        for (int a = 0; a < 3; ++a) {
            Real slope[4];
            bspline_weights<3>(static_cast<Real>(from_first_node[a]), w_[count_][a], slope);
        }
        rows_[count_++] = row;
    }
    // To the nodes from `at` on, and forgets the particles.  [Yue 2015, Eq. 19]
    void add_to(FieldTile<Real>& tile, const Vec3i& at, const Particles<Real>& particles,
                std::size_t used) {
        read_fields(particles, rows_, count_, fields_);
        const Real unit = 1 / particles.mass.at(0);  // sums are far from the least float
        for (std::size_t p = 0; p < count_; ++p) mass_[p] = unit * particles.mass.at(rows_[p]);
        for (int x = 0; x < 4; ++x)
            for (int y = 0; y < 4; ++y) {
                Real w_xy[room];
                for (std::size_t p = 0; p < count_; ++p)
                    w_xy[p] = mass_[p] * w_[p][0][x] * w_[p][1][y];
                FieldRowOf<Real>* nodes = &tile.at(at.x + x, at.y + y, at.z);
                std::size_t k = 0;
                for (; k + 3 * lanes <= used; k += 3 * lanes) add_packs<3>(nodes, k, w_xy);
                for (; k < used; k += lanes) add_packs<1>(nodes, k, w_xy);
            }
        count_ = 0;
    }

private:
    static constexpr std::size_t room = 16, lanes = pack_lanes<Real>;
    // A few packs of the fields, to four nodes along z.
    template <int N>
    void add_packs(FieldRowOf<Real>* nodes, std::size_t k, const Real* w_xy) const {
        Pack<Real> sum[4][N];
        for (std::size_t z = 0; z < 4; ++z)
            for (std::size_t n = 0; n < N; ++n)
                sum[z][n] = Pack<Real>::load(&nodes[z][k + n * lanes]);
        for (std::size_t p = 0; p < count_; ++p) {
            Pack<Real> part[N];
            for (std::size_t n = 0; n < N; ++n)
                part[n] = w_xy[p] * Pack<Real>::load(&fields_[p][k + n * lanes]);
            for (std::size_t z = 0; z < 4; ++z)
                for (std::size_t n = 0; n < N; ++n) sum[z][n] += w_[p][2][z] * part[n];
        }
        for (std::size_t z = 0; z < 4; ++z)
            for (std::size_t n = 0; n < N; ++n) sum[z][n].store(&nodes[z][k + n * lanes]);
    }

    std::size_t count_ = 0;
    Real w_[room][3][4];
    Real mass_[room];
    std::uint32_t rows_[room];
    FieldRowOf<Real> fields_[room]{};
};

template <class Real>
bool any_needed(const Vec3i& block, const NodeBlocks<Real>& nodes) {
    for (int n = 0; n < 27; ++n)
        if (nodes.blocks.find(block + Vec3i{n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1}) != CellMap::none)
            return true;
    return false;
}

// The particles of one phase in block b of the point grid, to the nodes.
template <class Real>
void scatter_block(const Particles<Real>& p, std::uint32_t phase, const PointGrid& points,
                   double dx, std::size_t b, FieldTile<Real>& tile, NodeBlocks<Real>& nodes) {
    const Vec3i& block = points.blocks().cell(b);  // eight cells of dx / 2, so four of dx
    if (!any_needed(block, nodes)) return;
    const std::size_t used = used_fields(p);
    tile.clear(used);
    CellFields<Real> cell;
    const double inverse = 1 / dx;
    for (int c = 0; c < 64; ++c) {
        const Vec3i at{c >> 4, (c >> 2) & 3, c & 3};
        const Vec3i first = 2 * (4 * block + at);
        const Vec3d first_node = static_cast<Vec3d>(4 * block + at - splat(1));
        points.for_each_run(first, first + splat(1), [&](auto begin, auto end) {
            for (auto i = begin; i < end; ++i) {
                if (points.ref(i).phase != phase) continue;
                if (cell.full()) cell.add_to(tile, at, p, used);
                cell.add(points.ref(i).row, inverse * points.point(i) - first_node);
            }
        });
        cell.add_to(tile, at, p, used);
    }
    tile.add_to(block, nodes, used);
}

// All blocks, in eight rounds: those of one round share no node, so sums have a fixed order.
template <class Real>
void scatter_fields(const Particles<Real>& p, std::uint32_t phase, const PointGrid& points,
                    double dx, NodeBlocks<Real>& nodes) {
    nodes.sums.resize(64 * nodes.blocks.size());
    std::vector<std::vector<std::size_t>> rounds(8);
    for (std::size_t b = 0; b < points.blocks().size(); ++b) {
        const Vec3i& at = points.blocks().cell(b);
        rounds[static_cast<std::size_t>((at.x & 1) << 2 | (at.y & 1) << 1 | (at.z & 1))].push_back(
            b);
    }
    for (const auto& round : rounds)
        parallel_chunks(round.size(), 4, [&](std::size_t begin, std::size_t end) {
            const auto tile = std::make_unique<FieldTile<Real>>();
            for (std::size_t k = begin; k < end; ++k)
                scatter_block(p, phase, points, dx, round[k], *tile, nodes);
        });
}

template <class Real>
void interpolate_phase(Particles<Real>& p, std::uint32_t phase, const PointGrid& points, double dx,
                       const std::vector<Birth>& births, const std::vector<std::size_t>& rows) {
    NodeBlocks<Real> nodes;
    for (const Birth& birth : births)
        if (birth.nearest.phase == phase) nodes.need(CubicSupport(birth.x, dx).first);
    if (nodes.blocks.size() == 0) return;
    scatter_fields(p, phase, points, dx, nodes);

    const std::size_t used = used_fields(p);
    for_each(births.size(), 64, [&](std::size_t b) {
        if (births[b].nearest.phase != phase) return;
        FieldRow mean{};
        CubicSupport(births[b].x, dx).for_each_node([&](const Vec3i& i, double w) {
            const auto& node = nodes.at(i);
            if (node[0] > 0)  // else an empty node
                add_row(mean, w / static_cast<double>(node[0]), node, used);
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
