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

struct Thrower {
    const PointGrid& points;
    const SignedDistance& distance;
    std::uint64_t seed;
    std::uint64_t step;
    double inverse = 1 / points.cell_width();

    void start(CellSearch& search, const Vec3i& cell, const SignedDistance::Corners& d) const {
        const auto xy = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(cell.x)) << 32) |
                        static_cast<std::uint32_t>(cell.y);
        const auto z = static_cast<std::uint64_t>(static_cast<std::uint32_t>(cell.z));
        search.start(cell, d, random_bits(seed, step, xy, z));
        const Vec3d corner = static_cast<Vec3d>(cell);
        points.for_each_run(cell - splat(1), cell + splat(1), [&](auto begin, auto end) {
            for (auto i = begin; i < end; ++i) search.add_point(inverse * points.point(i) - corner);
        });
    }
    // Cells of one block where a dart may land, if nothing else is added.
    void find_open_cells(std::size_t block, CellSearch& search, std::vector<Vec3i>& open) const;
    std::vector<Vec3i> open_cells() const;
    // Darts of one level that keep clear of all points so far, the first to win first.
    std::vector<Dart> throw_level(int level, const std::vector<Vec3i>& open,
                                  const Accepted& accepted) const;
};

void Thrower::find_open_cells(std::size_t block, CellSearch& search,
                              std::vector<Vec3i>& open) const {
    constexpr int w = SignedDistance::tile_width;
    SignedDistance::Tile tile;
    distance.load_tile(block, tile);
    if (*std::min_element(tile.begin(), tile.end()) >= dart_depth) return;
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
                const Vec3i cell = first + Vec3i{i, j, k};
                start(search, cell, d);
                if (search.any_dart()) open.push_back(cell);
            }
}

std::vector<Vec3i> Thrower::open_cells() const {
    constexpr std::size_t grain = 8;
    const std::size_t blocks = distance.blocks().size(), chunks = (blocks + grain - 1) / grain;
    std::vector<std::vector<Vec3i>> found(chunks);
    for_each(chunks, 1, [&](std::size_t c) {
        CellSearch search;
        for (std::size_t b = c * grain; b < std::min(blocks, (c + 1) * grain); ++b)
            find_open_cells(b, search, found[c]);
    });
    std::vector<Vec3i> all;
    for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
    return all;
}

std::vector<Dart> Thrower::throw_level(int level, const std::vector<Vec3i>& open,
                                       const Accepted& accepted) const {
    constexpr std::size_t grain = 256;
    const std::size_t chunks = (open.size() + grain - 1) / grain;
    std::vector<std::vector<Dart>> thrown(chunks);
    for_each(chunks, 1, [&](std::size_t c) {
        CellSearch search;
        for (std::size_t i = c * grain; i < std::min(open.size(), (c + 1) * grain); ++i) {
            start(search, open[i], distance.corners(open[i]));
            accepted.for_each_around(open[i], [&](const Vec3d& u) { search.add_point(u); });
            search.darts(level, thrown[c]);
        }
    });
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
    const std::vector<Vec3i> open = thrower.open_cells();
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
