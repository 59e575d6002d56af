// Poisson disks by darts. [Ebeida 2012]
//
// Cells of side min_distance / sqrt(3) hold one point at most. Every round throws one dart into
// each cell that is still open, then cuts those in eight and keeps the parts no disk covers yet.
// Cells lie in blocks; blocks of one colour are too far apart to notice each other, so they run at
// once.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <unordered_map>

#include "knead/base/error.h"
#include "knead/base/random.h"
#include "knead/geometry/ball_test.h"
#include "knead/geometry/sample_volume.h"
#include "knead/geometry/shape_blocks.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr int side = 8;   // cells along a block
constexpr int reach = 2;  // cells that a disk can reach across
constexpr int width = side + 2 * reach;
constexpr int finest = 4;  // how often cells are cut in eight
constexpr double nowhere = 1e30;

using Part = Vec3i;  // a cube of the level's size, by its index

struct Block {
    Vec3i at;             // in blocks
    bool inside = false;  // whole, so that no distance need be asked
    std::vector<Part> open;
    std::vector<std::pair<std::uint64_t, std::size_t>> order;  // in which open parts get their dart
    std::vector<Vec3d> points;
    std::array<std::int16_t, side * side * side> owner{};  // the cell's point, counted from 1, or 0

    static std::size_t cell(const Vec3i& c) {
        return static_cast<std::size_t>(c.x + side * (c.y + side * c.z));
    }
};

// A block's cells and those a disk may reach from: the point in each, or one far away.
struct Tile {
    std::array<Vec3d, width * width * width> point;

    static int index(const Vec3i& c) { return c.x + width * (c.y + width * c.z); }
    Vec3d& operator[](int i) { return point[static_cast<std::size_t>(i)]; }
    const Vec3d& operator[](int i) const { return point[static_cast<std::size_t>(i)]; }
    bool taken(int i) const { return (*this)[i].x < nowhere; }
};

// Steps within a tile to the cells that a disk may reach from, the nearest first.
std::vector<int> steps_around() {
    std::vector<Vec3i> cells;
    for (int k = -reach; k <= reach; ++k)
        for (int j = -reach; j <= reach; ++j)
            for (int i = -reach; i <= reach; ++i)
                if (std::abs(i * j * k) < 8) cells.push_back({i, j, k});
    std::stable_sort(cells.begin(), cells.end(), [](const Vec3i& a, const Vec3i& b) {
        return length_squared(a) < length_squared(b);
    });
    std::vector<int> steps;
    for (const Vec3i& c : cells) steps.push_back(Tile::index(c));
    return steps;
}

std::uint64_t key(const Part& p) {
    return random_bits(static_cast<std::uint64_t>(p.x), static_cast<std::uint64_t>(p.y),
                       static_cast<std::uint64_t>(p.z));
}

class PoissonDisks {
public:
    PoissonDisks(const SdfShape& shape, double r, std::uint64_t seed)
        : shape_(shape), r_(r), seed_(seed), cell_(r / std::sqrt(3.)), lo_(shape.bounds().lo) {
        constexpr double most_along = 1 << 20;  // blocks; parts of a cell count in 32 bits
        const Vec3d n = shape.bounds().size() / (side * cell_);
        if (max(n.x, max(n.y, n.z)) >= most_along)
            throw InputError(Place{}, fmt::format("a least distance of {:.3g} m is too fine", r),
                             "take a larger one, or sample on a lattice");
        for (int a = 0; a < 3; ++a) size_[a] = static_cast<int>(n[a]) + 1;
    }
    std::vector<Vec3d> points() {
        open_blocks();
        for (int level = 0; level <= finest; ++level) {
            throw_darts(level);
            if (level == finest) break;
            for_each(blocks_.size(), 8, [&](std::size_t b) {
                if (!blocks_[b]->open.empty()) split(*blocks_[b], level);
            });
        }
        std::vector<Vec3d> all;
        for (const auto& b : blocks_) all.insert(all.end(), b->points.begin(), b->points.end());
        return all;
    }

private:
    const SdfShape& shape_;
    double r_;
    std::uint64_t seed_;
    double cell_;
    Vec3d lo_;
    Vec3i size_;                                  // in blocks
    std::vector<std::unique_ptr<Block>> blocks_;  // only where the shape may be, by place
    std::unordered_map<std::int64_t, Block*> block_at_;
    std::vector<int> around_ = steps_around();

    Vec3d place(const Part& p, double edge, const Vec3d& within) const {
        return lo_ + edge * (static_cast<Vec3d>(p) + within);
    }
    double edge_of(int level) const { return cell_ / static_cast<double>(1 << level); }
    static std::int64_t number(const Vec3i& at) {
        return (std::int64_t{at.z} << 42) + (std::int64_t{at.y} << 21) + at.x;
    }
    const Block* block(const Vec3i& at) const {
        const auto found = block_at_.find(number(at));
        return found == block_at_.end() ? nullptr : found->second;
    }

    void open_blocks() {
        const std::vector<BlockIndex> near =
            blocks_near(shape_, lo_, side * cell_, static_cast<BlockIndex>(size_));
        blocks_.resize(near.size());
        const double half_diagonal = 0.5 * std::sqrt(3.);
        const BallTest judge_block(shape_, half_diagonal * side * cell_);
        const BallTest judge_cell(shape_, half_diagonal * cell_);
        for_each(blocks_.size(), 8, [&](std::size_t b) {
            const Vec3i at = static_cast<Vec3i>(near[b]);
            const Side where = judge_block(place(at, side * cell_, splat(0.5)));
            if (where == Side::outside) return;
            auto made = std::make_unique<Block>();
            made->at = at;
            made->inside = where == Side::inside;
            for (int n = 0; n < side * side * side; ++n) {
                const Part p = side * at + Vec3i{n % side, n / side % side, n / (side * side)};
                if (made->inside || judge_cell(place(p, cell_, splat(0.5))) != Side::outside)
                    made->open.push_back(p);
            }
            if (!made->open.empty()) blocks_[b] = std::move(made);
        });
        std::erase_if(blocks_, [](const auto& b) { return !b; });
        for (const auto& b : blocks_) block_at_[number(b->at)] = b.get();
    }

    // One dart into each open part, in random order. Blocks take turns by colour.
    void throw_darts(int level) {
        const auto mix =
            static_cast<int>(random_bits(seed_, 98, static_cast<std::uint64_t>(level)));
        std::array<std::vector<Block*>, 8> by_color;
        for (const auto& b : blocks_)
            if (!b->open.empty())
                by_color[static_cast<std::size_t>(color_of(b->at))].push_back(b.get());
        for (const auto& blocks : by_color)
            for_each(blocks.size(), 8, [&](std::size_t i) { shuffle(*blocks[i], level); });
        // The many first darts fly in volleys, so that no block has the better of its neighbours.
        const int volleys = level == 0 ? 8 : 1;
        for (int turn = 0; turn < 8 * volleys; ++turn) {
            const auto& blocks = by_color[static_cast<std::size_t>((turn ^ mix) & 7)];
            for_each(blocks.size(), 1, [&](std::size_t i) {
                throw_darts(*blocks[i], level, share(blocks[i]->open.size(), turn / 8, volleys));
            });
        }
    }
    struct Range {
        std::size_t begin, end;
    };
    static Range share(std::size_t n, int part, int parts) {
        const auto k = static_cast<std::size_t>(part), m = static_cast<std::size_t>(parts);
        return {n * k / m, n * (k + 1) / m};
    }
    static int color_of(const Vec3i& at) { return (at.x & 1) + 2 * (at.y & 1) + 4 * (at.z & 1); }
    void shuffle(Block& b, int level) const {
        const std::uint64_t salt = random_bits(seed_, 99, static_cast<std::uint64_t>(level));
        b.order.resize(b.open.size());
        for (std::size_t i = 0; i < b.open.size(); ++i)
            b.order[i] = {mix_bits(salt ^ key(b.open[i])), i};
        std::sort(b.order.begin(), b.order.end());
    }

    void throw_darts(Block& b, int level, const Range& volley) {
        const double edge = edge_of(level);
        const auto round = static_cast<std::uint64_t>(level);
        Tile tile = tile_of(b);
        for (std::size_t i = volley.begin; i < volley.end; ++i) {
            const Part& part = b.open[b.order[i].second];
            const Vec3i cell = cell_in_block(b, part, level);
            const int at = Tile::index(cell + rim());
            if (tile.taken(at)) continue;
            const std::uint64_t id = key(part);
            const Vec3d p =
                place(part, edge,
                      {random_unit(seed_, id, round, 0), random_unit(seed_, id, round, 1),
                       random_unit(seed_, id, round, 2)});
            if (covered(p, r_, tile, at) || !(b.inside || shape_.distance(p) < 0)) continue;
            tile[at] = p;
            b.points.push_back(p);
            b.owner[Block::cell(cell)] = static_cast<std::int16_t>(b.points.size());
        }
    }

    // The eighths of the parts that no disk covers. A cell with a point is covered whole.
    void split(Block& b, int level) {
        const double edge = edge_of(level + 1), radius = 0.5 * std::sqrt(3.) * edge;
        const BallTest judge(shape_, radius);
        const Tile tile = tile_of(b);
        std::vector<Part> kept;
        std::vector<Vec3d> near;
        int gathered = -1;
        for (const Part& part : b.open) {
            const int at = Tile::index(cell_in_block(b, part, level) + rim());
            if (tile.taken(at)) continue;
            if (at != gathered) gather(tile, at, near);
            gathered = at;
            const Vec3d first = place(2 * part, edge, splat(0.5));
            const unsigned gone = covered_eighths(first, edge, r_ - radius, near);
            for (int corner = 0; corner < 8; ++corner) {
                if (gone >> corner & 1u) continue;
                const Part q = 2 * part + Part{corner & 1, (corner >> 1) & 1, corner >> 2};
                if (b.inside || judge(place(q, edge, splat(0.5))) != Side::outside)
                    kept.push_back(q);
            }
        }
        b.open = std::move(kept);
    }
    void gather(const Tile& tile, int at, std::vector<Vec3d>& near) const {
        near.clear();
        for (const int step : around_)
            if (tile.taken(at + step)) near.push_back(tile[at + step]);
    }
    // A bit for each eighth whose middle has a point within `limit`; the first middle and their
    // spacing are given.
    static unsigned covered_eighths(const Vec3d& first, double edge, double limit,
                                    const std::vector<Vec3d>& near) {
        unsigned covered = 0;
        for (const Vec3d& q : near) {
            const Vec3d a = first - q, b = a + splat(edge);
            const double x[2] = {a.x * a.x, b.x * b.x}, y[2] = {a.y * a.y, b.y * b.y},
                         z[2] = {a.z * a.z, b.z * b.z};
            for (unsigned c = 0; c < 8; ++c)
                covered |= unsigned{x[c & 1] + y[c >> 1 & 1] + z[c >> 2] < limit * limit} << c;
            if (covered == 255) break;
        }
        return covered;
    }

    static Vec3i rim() { return {reach, reach, reach}; }
    static Vec3i cell_in_block(const Block& b, const Part& part, int level) {
        return Vec3i{part.x >> level, part.y >> level, part.z >> level} - side * b.at;
    }
    // Whether some point lies within `limit` of p, which is in the tile's cell `at`.
    bool covered(const Vec3d& p, double limit, const Tile& tile, int at) const {
        for (const int step : around_)
            if (length_squared(p - tile[at + step]) < limit * limit) return true;
        return false;
    }
    Tile tile_of(const Block& b) const {
        Tile tile;
        tile.point.fill(splat(nowhere));
        for (int n = 0; n < 27; ++n) {
            const Vec3i offset{n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
            const Vec3i from = b.at + offset;
            if (from.x < 0 || from.y < 0 || from.z < 0) continue;
            if (const Block* there = block(from)) copy_points(*there, side * offset + rim(), tile);
        }
        return tile;
    }
    // Those of a block's points that lie in a tile where the block begins at `shift`.
    static void copy_points(const Block& from, const Vec3i& shift, Tile& tile) {
        const auto first = [&](int a) { return std::max(0, -shift[a]); };
        const auto last = [&](int a) { return std::min(side, width - shift[a]); };
        for (int k = first(2); k < last(2); ++k)
            for (int j = first(1); j < last(1); ++j)
                for (int i = first(0); i < last(0); ++i)
                    if (const int n = from.owner[Block::cell({i, j, k})]; n > 0)
                        tile[Tile::index(Vec3i{i, j, k} + shift)] =
                            from.points[static_cast<std::size_t>(n - 1)];
    }
};

}  // namespace

std::vector<Vec3d> sample_poisson(const SdfShape& shape, double min_distance, std::uint64_t seed) {
    check_spacing(shape, min_distance);
    if (shape.bounds().empty()) return {};
    return PoissonDisks(shape, min_distance, seed).points();
}

}  // namespace knead
