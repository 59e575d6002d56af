#include "knead/mpm/foam/resample/poisson_darts.h"

#include <algorithm>

#include "knead/mpm/foam/resample/cell_search.h"
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
        for (int n = 0; n < 27; ++n) {
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
        points_.clear();
        const Vec3i first = PointGrid::width * block - splat(1);
        const Vec3d corner = static_cast<Vec3d>(PointGrid::width * block);
        const double inverse = 1 / points.cell_width();
        std::size_t cell = 0;
        for (int i = 0; i < width; ++i)
            for (int j = 0; j < width; ++j) {
                const Vec3i row = first + Vec3i{i, j, 0};
                const std::size_t end = cell + width;
                points.for_each_run(row, row + Vec3i{0, 0, width - 1}, [&](auto begin, auto last) {
                    for (auto p = begin; p < last; ++p) {
                        const int k = points.cell_of(points.point(p)).z - row.z;
                        const std::size_t at = end - width + static_cast<std::size_t>(k);
                        while (cell <= at) begin_[cell++] = points_.size();
                        points_.push_back(
                            static_cast<Vec3<float>>(inverse * points.point(p) - corner));
                    }
                });
                while (cell < end) begin_[cell++] = points_.size();
            }
        begin_[cell] = points_.size();
    }
    // visit(point) for those in the 27 cells around one.
    template <class Visit>
    void for_each_around(const Vec3i& cell, Visit&& visit) const {
        for (int i = cell.x; i < cell.x + 3; ++i)
            for (int j = cell.y; j < cell.y + 3; ++j) {
                const auto row = static_cast<std::size_t>((i * width + j) * width + cell.z);
                for (std::size_t p = begin_[row]; p < begin_[row + 3]; ++p) visit(points_[p]);
            }
    }
    std::size_t size() const { return points_.size(); }

private:
    static constexpr int width = PointGrid::width + 2;
    std::vector<Vec3<float>> points_;
    std::array<std::size_t, width * width * width + 1> begin_;  // of each cell, z fastest
};

struct Thrower {
    const PointGrid& points;
    const SignedDistance& distance;
    std::uint64_t seed;
    std::uint64_t step;

    DartPart whole(const Vec3i& cell) const { return dart_cell(cell, seed, step); }
    // Cells of one block where a dart may land, if nothing else is added.
    void find_open_cells(std::size_t block, BlockPoints& near, CellSearch& search,
                         std::vector<Vec3i>& open) const;
    std::vector<Vec3i> open_cells() const;
    // Darts of one level that keep clear of all points so far, the first to win first. Cells that
    // have closed are dropped from the list.
    std::vector<Dart> throw_level(int level, std::vector<Vec3i>& open,
                                  const Accepted& accepted) const;
};

void Thrower::find_open_cells(std::size_t block, BlockPoints& near, CellSearch& search,
                              std::vector<Vec3i>& open) const {
    constexpr int w = SignedDistance::tile_width;
    SignedDistance::Tile tile;
    distance.load_tile(block, tile);
    if (*std::min_element(tile.begin(), tile.end()) >= dart_depth) return;
    near.load(points, distance.blocks().cell(block));
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
                const Vec3i local{i, j, k};
                search.start(first + local, d, whole(first + local), near.size());
                const auto corner = static_cast<Vec3<float>>(local);
                near.for_each_around(local,
                                     [&](const Vec3<float>& u) { search.add_point(u - corner); });
                if (search.any_dart()) open.push_back(first + local);
            }
}

std::vector<Vec3i> Thrower::open_cells() const {
    constexpr std::size_t grain = 8;
    const std::size_t blocks = distance.blocks().size(), chunks = (blocks + grain - 1) / grain;
    std::vector<std::vector<Vec3i>> found(chunks);
    for_each(chunks, 1, [&](std::size_t c) {
        CellSearch search;
        BlockPoints near;
        for (std::size_t b = c * grain; b < std::min(blocks, (c + 1) * grain); ++b)
            find_open_cells(b, near, search, found[c]);
    });
    std::vector<Vec3i> all;
    for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
    return all;
}

std::vector<Dart> Thrower::throw_level(int level, std::vector<Vec3i>& open,
                                       const Accepted& accepted) const {
    constexpr std::size_t grain = 256;
    const std::size_t chunks = (open.size() + grain - 1) / grain;
    std::vector<std::vector<Dart>> thrown(chunks);
    const double inverse = 1 / points.cell_width();
    std::vector<char> is_open(open.size());
    for_each(chunks, 1, [&](std::size_t c) {
        CellSearch search;
        std::vector<Vec3<float>> near;
        for (std::size_t i = c * grain; i < std::min(open.size(), (c + 1) * grain); ++i) {
            const Vec3i& cell = open[i];
            const Vec3d corner = static_cast<Vec3d>(cell);
            near.clear();
            points.for_each_run(cell - splat(1), cell + splat(1), [&](auto begin, auto end) {
                for (auto p = begin; p < end; ++p)
                    near.push_back(static_cast<Vec3<float>>(inverse * points.point(p) - corner));
            });
            accepted.for_each_around(
                cell, [&](const Vec3d& u) { near.push_back(static_cast<Vec3<float>>(u)); });
            search.start(cell, distance.corners(cell), whole(cell), near.size());
            for (const Vec3<float>& u : near) search.add_point(u);
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
    std::vector<Vec3i> open = thrower.open_cells();
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
