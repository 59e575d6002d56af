#include "knead/mpm/foam/resample/poisson_darts.h"

#include <algorithm>

#include "knead/mpm/foam/resample/cell_search.h"
#include "knead/mpm/foam/resample/cover_quarters.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

// Darts that have won, by cell.
class Accepted {
public:
    void add(const Dart& dart) {
        const std::uint32_t c = cells_.insert(dart.cell);
        if (c == first_.size()) first_.push_back(-1);
        next_.push_back(first_[c]);
        first_[c] = static_cast<int>(darts_.size());
        darts_.push_back(dart);
    }
    // visit(position from the cell's corner) for those in the 27 cells around.
    template <class Visit>
    void for_each_around(const Vec3i& cell, Visit&& visit) const {
        for (int n = 0; n < 27 && !darts_.empty(); ++n) {
            const Vec3i to{n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
            const std::uint32_t c = cells_.find(cell + to);
            if (c == CellMap::none) continue;
            for (int i = first_[c]; i >= 0; i = next_[static_cast<std::size_t>(i)])
                visit(darts_[static_cast<std::size_t>(i)].local + static_cast<Vec3d>(to));
        }
    }
    bool leaves_room_for(const Dart& dart) const {
        bool room = true;
        for_each_around(dart.cell, [&](const Vec3d& other) {
            room &= length_squared(other - dart.local) >= dart_spacing * dart_spacing;
        });
        return room;
    }
    const std::vector<Dart>& darts() const { return darts_; }

private:
    CellMap cells_;
    std::vector<int> first_, next_;
    std::vector<Dart> darts_;
};

// The points in and around one block of cells, from the block's corner in units of r.
class BlockPoints {
public:
    void load(const PointGrid& points, const Vec3i& block) {
        const Vec3i first = PointGrid::width * block - splat(1), last = first + splat(width - 1);
        const Vec3d corner = static_cast<Vec3d>(PointGrid::width * block);
        const double inverse = 1 / points.cell_width();
        std::size_t most = 0;
        points.for_each_run(first, last, [&](auto begin, auto end) { most += end - begin; });
        points_.start(most);
        std::size_t cell = 0;
        for (int i = 0; i < width; ++i)
            for (int j = 0; j < width; ++j) {
                const Vec3i row = first + Vec3i{i, j, 0};
                const std::size_t end = cell + width;
                points.for_each_run(row, row + Vec3i{0, 0, width - 1}, [&](auto begin, auto last) {
                    for (auto p = begin; p < last; ++p) {
                        const int k = points.cell_of(points.point(p)).z - row.z;
                        const std::size_t at = end - width + static_cast<std::size_t>(k);
                        while (cell <= at) begin_[cell++] = points_.count;
                        points_.add(static_cast<Vec3<float>>(inverse * points.point(p) - corner));
                    }
                });
                while (cell < end) begin_[cell++] = points_.count;
            }
        begin_[cell] = points_.count;
    }
    const PointList& all() const { return points_; }
    // Gives the search the points of the 27 cells around one.
    void add_around(const Vec3i& cell, CellSearch& search) const {
        for (int i = cell.x; i < cell.x + 3; ++i)
            for (int j = cell.y; j < cell.y + 3; ++j) {
                const auto row = static_cast<std::size_t>((i * width + j) * width + cell.z);
                search.add_points(points_, begin_[row], begin_[row + 3],
                                  static_cast<Vec3<float>>(cell));
            }
    }

private:
    static constexpr int width = PointGrid::width + 2;
    PointList points_;
    std::array<std::size_t, width * width * width + 1> begin_;  // of each cell, z fastest
};

// A cell where a dart may land, in one of its open quarters.
struct OpenCell {
    Vec3i cell;
    std::uint64_t quarters;
    SignedDistance::Corners corners;
};

// What finding the open cells of a block needs.
struct BlockSearch {
    BlockPoints near;
    CoverQuarters cover;
    CellSearch search;
};

struct Thrower {
    const PointGrid& points;
    const SignedDistance& distance;
    std::uint64_t seed;
    std::uint64_t step;

    DartPart whole(const Vec3i& cell) const { return dart_cell(cell, seed, step); }
    // Cells of one block where a dart may land, if nothing else is added.
    void find_open_cells(std::size_t block, BlockSearch& in, std::vector<OpenCell>& open) const;
    std::vector<OpenCell> open_cells() const;
    // Darts of one level that keep clear of all points so far, the first to win first. Cells that
    // have closed are dropped from the list.
    std::vector<Dart> throw_level(int level, std::vector<OpenCell>& open,
                                  const Accepted& accepted) const;
};

void Thrower::find_open_cells(std::size_t block, BlockSearch& in,
                              std::vector<OpenCell>& open) const {
    constexpr int w = SignedDistance::tile_width;
    SignedDistance::Tile tile;
    distance.load_tile(block, tile);
    if (*std::min_element(tile.begin(), tile.end()) >= dart_depth) return;
    in.near.load(points, distance.blocks().cell(block));
    in.cover.clear(surely_within2);
    const PointList& near = in.near.all();
    for (std::size_t p = 0; p < near.count; ++p) in.cover.add_sphere(near.point(p));
    const Vec3i first = PointGrid::width * distance.blocks().cell(block);
    for (int i = 0; i < PointGrid::width; ++i)
        for (int j = 0; j < PointGrid::width; ++j)
            for (int k = 0; k < PointGrid::width; ++k) {
                SignedDistance::Corners d;
                for (int c = 0; c < 8; ++c)
                    d[static_cast<std::size_t>(c)] = tile[static_cast<std::size_t>(
                        ((i + (c >> 2)) * w + j + ((c >> 1) & 1)) * w + k + (c & 1))];
                // interpolation never falls below the least corner
                if (*std::min_element(d.begin(), d.end()) >= dart_depth) continue;
                const Vec3i local{i, j, k}, cell = first + local;
                const std::uint64_t quarters = in.cover.open_quarters(local);
                if (quarters == 0) continue;
                in.search.start(cell, quarters, d, whole(cell), near.count);
                in.near.add_around(local, in.search);
                if (in.search.any_dart()) open.push_back({cell, quarters, d});
            }
}

std::vector<OpenCell> Thrower::open_cells() const {
    constexpr std::size_t grain = 8;
    const std::size_t blocks = distance.blocks().size(), chunks = (blocks + grain - 1) / grain;
    std::vector<std::vector<OpenCell>> found(chunks);
    for_each(chunks, 1, [&](std::size_t c) {
        BlockSearch in;
        for (std::size_t b = c * grain; b < std::min(blocks, (c + 1) * grain); ++b)
            find_open_cells(b, in, found[c]);
    });
    std::vector<OpenCell> all;
    for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
    return all;
}

std::vector<Dart> Thrower::throw_level(int level, std::vector<OpenCell>& open,
                                       const Accepted& accepted) const {
    constexpr std::size_t grain = 256;
    const std::size_t chunks = (open.size() + grain - 1) / grain;
    std::vector<std::vector<Dart>> thrown(chunks);
    const double inverse = 1 / points.cell_width();
    std::vector<char> is_open(open.size());
    for_each(chunks, 1, [&](std::size_t c) {
        CellSearch search;
        for (std::size_t i = c * grain; i < std::min(open.size(), (c + 1) * grain); ++i) {
            const Vec3i& cell = open[i].cell;
            const Vec3d corner = static_cast<Vec3d>(cell);
            search.start(cell, open[i].quarters, open[i].corners, whole(cell), 0);
            points.for_each_run(cell - splat(1), cell + splat(1), [&](auto begin, auto end) {
                for (auto p = begin; p < end; ++p)
                    search.add_point(static_cast<Vec3<float>>(inverse * points.point(p) - corner));
            });
            accepted.for_each_around(
                cell, [&](const Vec3d& u) { search.add_point(static_cast<Vec3<float>>(u)); });
            is_open[i] = search.darts(level, thrown[c]);
        }
    });
    std::size_t left = 0;
    for (std::size_t i = 0; i < open.size(); ++i)
        if (is_open[i]) open[left++] = open[i];
    open.resize(left);
    std::vector<Dart> all;
    for (const auto& some : thrown) all.insert(all.end(), some.begin(), some.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const Dart& a, const Dart& b) { return a.priority < b.priority; });
    return all;
}

}  // namespace

// A cell inside one sphere holds no winning dart, whenever the sphere came, so cells that are
// closed at first stay closed and only open ones are looked at level by level.
std::vector<Vec3d> poisson_darts(const PointGrid& points, const SignedDistance& distance,
                                 std::uint64_t seed, std::int64_t step) {
    const Thrower thrower{points, distance, seed, static_cast<std::uint64_t>(step)};
    std::vector<OpenCell> open = thrower.open_cells();
    Accepted accepted;
    for (int level = 0; level < dart_levels && !open.empty(); ++level)
        for (const Dart& dart : thrower.throw_level(level, open, accepted))
            if (accepted.leaves_room_for(dart)) accepted.add(dart);

    std::vector<Vec3d> x;
    for (const Dart& dart : accepted.darts())
        x.push_back(points.cell_width() * (static_cast<Vec3d>(dart.cell) + dart.local));
    return x;
}

}  // namespace knead
