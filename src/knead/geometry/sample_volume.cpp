#include "knead/geometry/sample_volume.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "knead/base/error.h"
#include "knead/base/random.h"
#include "knead/geometry/sdf_program.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

void check_spacing(const SdfShape& shape, double spacing) {
    if (!(spacing > 0 && is_finite(spacing)))
        throw InputError(Place{}, fmt::format("the spacing between points is {}", spacing),
                         "give a number above 0");
    if (!shape.bounded())
        throw InputError(Place{}, "the shape has no end, so it cannot be filled with points",
                         "cut it with a box by intersect");
    const Vec3d n = shape.bounds().size() / spacing;
    if (!shape.bounds().empty() && n.x * n.y * n.z > 1e12)
        throw InputError(Place{},
                         fmt::format("a spacing of {:.3g} m fills the shape with far too many "
                                     "points",
                                     spacing),
                         "check the units, or take a larger spacing");
}

// Whether a ball around a point is all outside, all inside, or may be both.
enum class Side { outside, inside, both };

struct BallTest {
    const SdfShape& shape;
    double reach;  // by how much the distance may change within the ball

    BallTest(const SdfShape& s, double radius)
        : shape(s), reach(s.program()->lipschitz * radius + s.program()->slack) {}
    Side operator()(const Vec3d& center) const {
        const double d = shape.distance(center);
        return d > reach ? Side::outside : d < -reach ? Side::inside : Side::both;
    }
};

constexpr int block = 8;  // lattice points along one side of a block

// The lattice cut into blocks, each judged as a whole first.
class Lattice {
public:
    Lattice(const SdfShape& shape, double spacing, const Vec3d& origin)
        : shape_(shape),
          spacing_(spacing),
          origin_(origin),
          judge_(shape, 0.5 * (block - 1) * spacing * std::sqrt(3.)) {
        const Box3 box = shape.bounds();
        for (int a = 0; a < 3; ++a) {
            first_[a] = static_cast<long long>(std::floor((box.lo[a] - origin[a]) / spacing - 0.5));
            const double last = std::ceil((box.hi[a] - origin[a]) / spacing - 0.5);
            const auto count = static_cast<long long>(last) - first_[a] + 1;
            blocks_[a] = (count + block - 1) / block;
        }
    }
    std::vector<Vec3d> points() const {
        const auto rows = static_cast<std::size_t>(blocks_.y * blocks_.z);
        std::vector<std::vector<Vec3d>> found(rows);
        for_each(rows, 4, [&](std::size_t r) {
            const auto row = static_cast<long long>(r);
            for (long long i = 0; i < blocks_.x; ++i)
                fill({i * block, row % blocks_.y * block, row / blocks_.y * block}, found[r]);
        });
        std::size_t total = 0;
        for (const auto& f : found) total += f.size();
        std::vector<Vec3d> result;
        result.reserve(total);
        for (const auto& f : found) result.insert(result.end(), f.begin(), f.end());
        return result;
    }

private:
    const SdfShape& shape_;
    double spacing_;
    Vec3d origin_;
    BallTest judge_;
    Vec3<long long> first_;
    Vec3<long long> blocks_;

    Vec3d point(const Vec3<long long>& at) const {
        return origin_ + spacing_ * (static_cast<Vec3d>(first_ + at) + splat(0.5));
    }
    void fill(const Vec3<long long>& at, std::vector<Vec3d>& found) const {
        const Vec3<long long> end = at + Vec3<long long>{block - 1, block - 1, block - 1};
        const Side side = judge_(0.5 * (point(at) + point(end)));
        if (side == Side::outside) return;
        for (long long k = at.z; k <= end.z; ++k)
            for (long long j = at.y; j <= end.y; ++j)
                for (long long i = at.x; i <= end.x; ++i) {
                    const Vec3d p = point({i, j, k});
                    if (side == Side::inside || shape_.distance(p) < 0) found.push_back(p);
                }
    }
};

// Cells of side min_distance / sqrt(3) hold one point at most. Every round throws one dart into
// each cell that is still open, then cuts those in eight and keeps the parts no disk covers yet.
class PoissonDisks {
public:
    PoissonDisks(const SdfShape& shape, double r, std::uint64_t seed)
        : shape_(shape), r_(r), seed_(seed), cell_(r / std::sqrt(3.)), lo_(shape.bounds().lo) {
        const Vec3d n = shape.bounds().size() / cell_;
        for (int a = 0; a < 3; ++a) cells_[a] = static_cast<int>(n[a]) + 1;
        const double count = double(cells_.x) * double(cells_.y) * double(cells_.z);
        if (count > 2e9)
            throw InputError(Place{}, fmt::format("a least distance of {:.3g} m is too fine", r),
                             "take a larger one, or sample on a lattice");
        owner_.assign(static_cast<std::size_t>(count), -1);
        // Cells that a disk may reach from, the nearest first.
        for (int k = -2; k <= 2; ++k)
            for (int j = -2; j <= 2; ++j)
                for (int i = -2; i <= 2; ++i)
                    if (std::abs(i * j * k) < 8) around_.push_back({i, j, k});
        std::stable_sort(around_.begin(), around_.end(), [](const Vec3i& a, const Vec3i& b) {
            return length_squared(a) < length_squared(b);
        });
    }
    std::vector<Vec3d> points() {
        std::vector<Part> open = open_cells();
        for (int level = 0; level < 5 && !open.empty(); ++level) {
            const double side = cell_ / static_cast<double>(1 << level);
            const std::vector<Part> mixed = shuffled(open, level);
            for (int round = 0; round < (level == 0 ? 3 : 1); ++round)
                for (const Part& part : mixed) throw_dart(part, side, 3 * level + round);
            open = split(open, 0.5 * side);
        }
        return std::move(points_);
    }

private:
    using Part = Vec3i;  // a cube of the level's side, by its index
    const SdfShape& shape_;
    double r_;
    std::uint64_t seed_;
    double cell_;
    Vec3d lo_;
    Vec3i cells_;
    std::vector<int> owner_;  // the point in each cell, or -1
    std::vector<Vec3d> points_;
    std::vector<Vec3i> around_;

    static std::uint64_t key(const Part& p) {
        return random_bits(static_cast<std::uint64_t>(p.x), static_cast<std::uint64_t>(p.y),
                           static_cast<std::uint64_t>(p.z));
    }
    std::vector<Part> open_cells() const {
        const BallTest judge(shape_, 0.5 * std::sqrt(3.) * cell_);
        std::vector<std::vector<Part>> layers(static_cast<std::size_t>(cells_.z));
        for_each(layers.size(), 1, [&](std::size_t layer) {
            const int k = static_cast<int>(layer);
            for (int j = 0; j < cells_.y; ++j)
                for (int i = 0; i < cells_.x; ++i)
                    if (judge(middle({i, j, k}, cell_)) != Side::outside)
                        layers[layer].push_back({i, j, k});
        });
        std::vector<Part> open;
        for (const auto& layer : layers) open.insert(open.end(), layer.begin(), layer.end());
        return open;
    }
    Vec3d middle(const Part& p, double side) const {
        return lo_ + side * (static_cast<Vec3d>(p) + splat(0.5));
    }
    Vec3i cell_at(const Vec3d& p) const {
        const Vec3d q = (p - lo_) / cell_;
        return {static_cast<int>(q.x), static_cast<int>(q.y), static_cast<int>(q.z)};
    }
    bool in_grid(const Vec3i& c) const {
        return c.x >= 0 && c.y >= 0 && c.z >= 0 && c.x < cells_.x && c.y < cells_.y &&
               c.z < cells_.z;
    }
    std::size_t index(const Vec3i& c) const {
        const auto nx = static_cast<std::size_t>(cells_.x), ny = static_cast<std::size_t>(cells_.y);
        return static_cast<std::size_t>(c.x) +
               nx * (static_cast<std::size_t>(c.y) + ny * static_cast<std::size_t>(c.z));
    }
    // Whether some point lies within `limit` of p.
    bool covered(const Vec3d& p, double limit) const {
        const Vec3i c = cell_at(p);
        for (const Vec3i& offset : around_) {
            const Vec3i n = c + offset;
            const int o = in_grid(n) ? owner_[index(n)] : -1;
            if (o < 0) continue;
            if (length_squared(p - points_[static_cast<std::size_t>(o)]) < limit * limit)
                return true;
        }
        return false;
    }
    // The points of the cells around one, and whether one of them is near.
    void gather(const Vec3i& cell, std::vector<Vec3d>& near) const {
        near.clear();
        for (const Vec3i& offset : around_) {
            const Vec3i n = cell + offset;
            const int o = in_grid(n) ? owner_[index(n)] : -1;
            if (o >= 0) near.push_back(points_[static_cast<std::size_t>(o)]);
        }
    }
    static bool within(const Vec3d& p, double limit, const std::vector<Vec3d>& near) {
        for (const Vec3d& q : near)
            if (length_squared(p - q) < limit * limit) return true;
        return false;
    }
    // Darts fly in random order, so that they do not line up.
    std::vector<Part> shuffled(const std::vector<Part>& parts, int level) const {
        const std::uint64_t salt = random_bits(seed_, 99, static_cast<std::uint64_t>(level));
        std::vector<std::pair<std::uint64_t, std::size_t>> order(parts.size());
        for (std::size_t i = 0; i < parts.size(); ++i)
            order[i] = {mix_bits(salt ^ key(parts[i])), i};
        std::sort(order.begin(), order.end());
        std::vector<Part> mixed;
        mixed.reserve(parts.size());
        for (const auto& o : order) mixed.push_back(parts[o.second]);
        return mixed;
    }
    void throw_dart(const Part& part, double side, int number) {
        const std::uint64_t id = key(part), round = static_cast<std::uint64_t>(number);
        const Vec3d u{random_unit(seed_, id, round, 0), random_unit(seed_, id, round, 1),
                      random_unit(seed_, id, round, 2)};
        const Vec3d p = lo_ + side * (static_cast<Vec3d>(part) + u);
        const Vec3i c = cell_at(p);
        if (!in_grid(c) || owner_[index(c)] >= 0) return;
        if (covered(p, r_) || !(shape_.distance(p) < 0)) return;
        owner_[index(c)] = static_cast<int>(points_.size());
        points_.push_back(p);
    }
    // The eighths of the parts that no disk covers. A cell with a point is covered whole.
    std::vector<Part> split(const std::vector<Part>& parts, double side) const {
        const double radius = 0.5 * std::sqrt(3.) * side;
        const BallTest judge(shape_, radius);
        const std::size_t chunk = 4096;
        std::vector<std::vector<Part>> kept((parts.size() + chunk - 1) / chunk);
        parallel_chunks(parts.size(), chunk, [&](std::size_t begin, std::size_t end) {
            std::vector<Vec3d> near;
            for (std::size_t i = begin; i < end; ++i) {
                const Vec3i cell = cell_at(middle(parts[i], 2 * side));
                if (!in_grid(cell) || owner_[index(cell)] >= 0) continue;
                gather(cell, near);
                for (int corner = 0; corner < 8; ++corner) {
                    const Part q = 2 * parts[i] + Part{corner & 1, (corner >> 1) & 1, corner >> 2};
                    const Vec3d m = middle(q, side);
                    if (!within(m, r_ - radius, near) && judge(m) != Side::outside)
                        kept[begin / chunk].push_back(q);
                }
            }
        });
        std::vector<Part> result;
        for (const auto& k : kept) result.insert(result.end(), k.begin(), k.end());
        return result;
    }
};

}  // namespace

std::vector<Vec3d> sample_lattice(const SdfShape& shape, double spacing, const Vec3d& origin) {
    check_spacing(shape, spacing);
    if (shape.bounds().empty()) return {};
    return Lattice(shape, spacing, origin).points();
}

std::vector<Vec3d> sample_poisson(const SdfShape& shape, double min_distance, std::uint64_t seed) {
    check_spacing(shape, min_distance);
    if (shape.bounds().empty()) return {};
    return PoissonDisks(shape, min_distance, seed).points();
}

}  // namespace knead
