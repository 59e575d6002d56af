#include "knead/mpm/foam/resample/signed_distance.h"

#include <algorithm>

#include "knead/mpm/foam/resample/dart.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr int width = PointGrid::width;
constexpr std::size_t grain = 4;  // blocks a task

Vec3d corner_of(const Vec3i& block) { return static_cast<Vec3d>(width * block); }

int index_of(const Vec3i& node) { return ((node.x & 7) << 6) | ((node.y & 7) << 3) | (node.z & 7); }

// Nodes 0..7 along one axis that lie within `reach` of u.
struct NodeSpan {
    int first, last;
    NodeSpan(double u, double reach)
        : first(std::max(0, static_cast<int>(std::ceil(u - reach)))),
          last(std::min(width - 1, static_cast<int>(std::floor(u + reach)))) {}
    unsigned bits() const { return first <= last ? (2u << last) - (1u << first) : 0; }
};

}  // namespace

SignedDistance::SignedDistance(const PointGrid& points) : radius_(points.cell_width()) {
    mark_blocks(points);
    values_.resize(blocks_.size() * PointGrid::block_cells);
    Crossings crossings(blocks_.size());
    for_each(blocks_.size(), grain, [&](std::size_t b) { measure_to_spheres(points, b); });
    for_each(blocks_.size(), grain, [&](std::size_t b) { find_crossings(b, crossings[b]); });
    for_each(blocks_.size(), grain, [&](std::size_t b) { measure_to_crossings(b, crossings); });
}

// Every node within the cap of a particle gets a block.
void SignedDistance::mark_blocks(const PointGrid& points) {
    const int margin = static_cast<int>(cap);
    struct Ends {
        Vec3i lo, hi;
    };
    std::vector<Ends> ends(points.blocks().size());
    for_each(ends.size(), 16, [&](std::size_t b) {
        Vec3i lo = points.cell_of(points.point(points.first_point(b))), hi = lo;
        for (std::uint32_t i = points.first_point(b); i < points.first_point(b + 1); ++i) {
            const Vec3i c = points.cell_of(points.point(i));
            for (int a = 0; a < 3; ++a) {
                lo[a] = std::min(lo[a], c[a]);
                hi[a] = std::max(hi[a], c[a]);
            }
        }
        ends[b] = {lo, hi};
    });
    for (const auto& [lo, hi] : ends) {
        for (int x = (lo.x - margin) >> 3; x <= (hi.x + 1 + margin) >> 3; ++x)
            for (int y = (lo.y - margin) >> 3; y <= (hi.y + 1 + margin) >> 3; ++y)
                for (int z = (lo.z - margin) >> 3; z <= (hi.z + 1 + margin) >> 3; ++z)
                    blocks_.insert({x, y, z});
    }
}

// Distance to the nearest particle less one, +1 where none is within 2.  [Yue 2015, Alg. 2] Most
// nodes have a particle within 1: only for the others are particles up to 2 away looked at.
void SignedDistance::measure_to_spheres(const PointGrid& points, std::size_t block) {
    double* d = nodes(block);
    std::fill(d, d + PointGrid::block_cells, 4.0);  // squared
    measure_within(points, block, 1, [](const auto&...) { return true; });
    // one bit for each node outside all spheres
    std::array<std::uint64_t, width> outside{};
    for (int n = 0; n < static_cast<int>(PointGrid::block_cells); ++n)
        outside[static_cast<std::size_t>(n >> 6)] |= std::uint64_t{d[n] >= 1} << (n & 63);
    if (std::any_of(outside.begin(), outside.end(), [](std::uint64_t bits) { return bits != 0; }))
        measure_within(points, block, 2,
                       [&](const NodeSpan& x, const NodeSpan& y, const NodeSpan& z) {
                           std::uint64_t any = 0, reached = 0;
                           for (int i = x.first; i <= x.last; ++i)
                               any |= outside[static_cast<std::size_t>(i)];
                           for (int j = y.first; j <= y.last; ++j)
                               reached |= std::uint64_t{z.bits()} << (8 * j);
                           return (any & reached) != 0;
                       });
    for (std::uint32_t i = 0; i < PointGrid::block_cells; ++i) d[i] = std::sqrt(d[i]) - 1;
}

// Squared distances of a block's nodes to the points up to `reach` away, for those points of whose
// spans of nodes wanted(x, y, z).
template <class Wanted>
void SignedDistance::measure_within(const PointGrid& points, std::size_t block, int reach,
                                    const Wanted& wanted) {
    const Vec3i cell = width * blocks_.cell(block);
    const Vec3d corner = corner_of(blocks_.cell(block));
    const double inverse = 1 / radius_;
    double* d = nodes(block);
    const Vec3i lo = cell - splat(reach), hi = cell + splat(width - 2 + reach);
    points.for_each_run(lo, hi, [&](auto begin, auto end) {
        for (auto p = begin; p < end; ++p) {
            const Vec3d u = inverse * points.point(p) - corner;
            const NodeSpan x(u.x, reach), y(u.y, reach), z(u.z, reach);
            if (!wanted(x, y, z)) continue;
            for (int i = x.first; i <= x.last; ++i)
                for (int j = y.first; j <= y.last; ++j) {
                    const double xy = (i - u.x) * (i - u.x) + (j - u.y) * (j - u.y);
                    double* row = d + (i << 6) + (j << 3);
                    for (int k = z.first; k <= z.last; ++k)
                        row[k] = std::min(row[k], xy + (k - u.z) * (k - u.z));
                }
        }
    });
}

// Where the surface cuts the grid's edges, by linear interpolation.
void SignedDistance::find_crossings(std::size_t block, std::vector<Vec3d>& crossings) const {
    Tile tile;
    load_tile(block, tile);
    constexpr int stride[3] = {tile_width * tile_width, tile_width, 1};
    for (int i = 0; i < width; ++i)
        for (int j = 0; j < width; ++j)
            for (int k = 0; k < width; ++k) {
                const double* d = tile.data() + i * stride[0] + j * stride[1] + k;
                for (int a = 0; a < 3; ++a) {
                    const double here = d[0], there = d[stride[a]];
                    if ((here < 0) == (there < 0)) continue;
                    Vec3d c{double(i), double(j), double(k)};
                    c[a] += here / (here - there);
                    crossings.push_back(c);
                }
            }
}

// Keeps the sign and measures to the nearest crossing, up to the cap.
void SignedDistance::measure_to_crossings(std::size_t block, const Crossings& crossings) {
    const Vec3i& at = blocks_.cell(block);
    std::array<double, PointGrid::block_cells> squared;
    squared.fill(cap * cap);
    for (int n = 0; n < 27; ++n) {
        const Vec3i to{n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
        const std::uint32_t other = blocks_.find(at + to);
        if (other == CellMap::none) continue;
        for (const Vec3d& crossing : crossings[other]) {
            const Vec3d c = crossing + corner_of(to);
            if (c.z < -cap || c.z > width - 1 + cap) continue;
            const NodeSpan x(c.x, cap), y(c.y, cap);
            for (int i = x.first; i <= x.last; ++i)
                for (int j = y.first; j <= y.last; ++j) {
                    const double xy = (i - c.x) * (i - c.x) + (j - c.y) * (j - c.y);
                    double* row = squared.data() + (i << 6) + (j << 3);
                    for (int k = 0; k < width; ++k)  // whole rows: the cap cuts what is too far
                        row[k] = std::min(row[k], xy + (k - c.z) * (k - c.z));
                }
        }
    }
    double* d = nodes(block);
    for (std::uint32_t i = 0; i < PointGrid::block_cells; ++i)
        d[i] = std::copysign(std::sqrt(squared[i]), d[i]);
}

double SignedDistance::at_node(const Vec3i& node) const {
    const std::uint32_t b = blocks_.find({node.x >> 3, node.y >> 3, node.z >> 3});
    if (b == CellMap::none) return cap;
    return values_[std::size_t{b} * PointGrid::block_cells +
                   static_cast<std::size_t>(index_of(node))];
}

SignedDistance::Corners SignedDistance::corners(const Vec3i& cell) const {
    Corners d;
    for (int c = 0; c < 8; ++c)
        d[static_cast<std::size_t>(c)] = at_node(cell + Vec3i{c >> 2, (c >> 1) & 1, c & 1});
    return d;
}

double SignedDistance::operator()(const Vec3d& x) const {
    const Vec3d u = x / radius_;
    const Vec3d base{std::floor(u.x), std::floor(u.y), std::floor(u.z)};
    return radius_ * interpolate(corners(static_cast<Vec3i>(base)).data(), u - base);
}

void SignedDistance::load_tile(std::size_t block, Tile& tile) const {
    const Vec3i& at = blocks_.cell(block);
    for (int n = 0; n < 8; ++n) {
        const Vec3i to{n >> 2, (n >> 1) & 1, n & 1};
        const std::uint32_t other =
            n == 0 ? static_cast<std::uint32_t>(block) : blocks_.find(at + to);
        const double* from = other == CellMap::none
                                 ? nullptr
                                 : values_.data() + std::size_t{other} * PointGrid::block_cells;
        // all eight layers of this block, the first one of its neighbours
        for (int i = to.x * width; i < (to.x ? tile_width : width); ++i)
            for (int j = to.y * width; j < (to.y ? tile_width : width); ++j)
                for (int k = to.z * width; k < (to.z ? tile_width : width); ++k)
                    tile[static_cast<std::size_t>((i * tile_width + j) * tile_width + k)] =
                        from ? from[index_of({i, j, k})] : cap;
    }
}

}  // namespace knead
