#include "knead/geometry/shape_blocks.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

#include "knead/base/random.h"
#include "knead/geometry/ball_test.h"

namespace knead {

namespace {

// Cubes from lo to below hi.
struct Range {
    BlockIndex lo, hi;
};

class Halving {
public:
    Halving(const SdfShape& shape, const Vec3d& lo, double edge, std::vector<BlockIndex>& found)
        : shape_(shape), lo_(lo), edge_(edge), found_(found) {}

    void visit(const Range& r) {
        const BlockIndex n = r.hi - r.lo;
        const Vec3d half = 0.5 * edge_ * static_cast<Vec3d>(n);
        const Vec3d center = lo_ + edge_ * static_cast<Vec3d>(r.lo) + half;
        const Side side = BallTest(shape_, length(half))(center);
        if (side == Side::outside) return;
        if (side == Side::inside || (n.x == 1 && n.y == 1 && n.z == 1)) return add_all(r);
        const int axis = n.x >= n.y && n.x >= n.z ? 0 : n.y >= n.z ? 1 : 2;
        Range first = r, second = r;
        first.hi[axis] = second.lo[axis] = r.lo[axis] + n[axis] / 2;
        visit(first);
        visit(second);
    }

private:
    const SdfShape& shape_;
    Vec3d lo_;
    double edge_;
    std::vector<BlockIndex>& found_;

    void add_all(const Range& r) {
        for (long long k = r.lo.z; k < r.hi.z; ++k)
            for (long long j = r.lo.y; j < r.hi.y; ++j)
                for (long long i = r.lo.x; i < r.hi.x; ++i) found_.push_back({i, j, k});
    }
};

// A box that the surface may cross.
struct Crossed {
    double volume;
    std::size_t made;  // settles which of two equally large ones comes first
    Box3 box;
    bool operator<(const Crossed& b) const {
        return volume != b.volume ? volume < b.volume : made > b.made;
    }
};

double volume_of(const Box3& box) {
    const Vec3d size = box.size();
    return size.x * size.y * size.z;
}

// The part of a box that is inside, by a few random points.
double probed_share(const SdfShape& shape, const Box3& box, std::uint64_t number) {
    constexpr int probes = 8;
    int inside = 0;
    for (std::uint64_t k = 0; k < probes; ++k) {
        const Vec3d at{random_unit(number, k, 0), random_unit(number, k, 1),
                       random_unit(number, k, 2)};
        inside += shape.distance(box.lo + at * box.size()) < 0;
    }
    return static_cast<double>(inside) / probes;
}

}  // namespace

std::vector<BlockIndex> blocks_near(const SdfShape& shape, const Vec3d& lo, double edge,
                                    const BlockIndex& count) {
    std::vector<BlockIndex> found;
    if (shape.empty() || count.x < 1 || count.y < 1 || count.z < 1) return found;
    Halving(shape, lo, edge, found).visit({{0, 0, 0}, count});
    std::sort(found.begin(), found.end(), [](const BlockIndex& a, const BlockIndex& b) {
        return std::tie(a.z, a.y, a.x) < std::tie(b.z, b.y, b.x);
    });
    return found;
}

double measured_volume(const SdfShape& shape) {
    constexpr std::size_t most_boxes = 4000;
    const Box3 all = shape.bounds();
    if (shape.empty() || all.empty() || !all.bounded()) return 0;
    // Boxes are halved, the largest first; what is neither inside nor outside at the end is probed.
    double inside = 0;
    std::size_t made = 0;
    std::priority_queue<Crossed> crossed;
    const auto judge = [&](const Box3& box) {
        const Side side = BallTest(shape, 0.5 * length(box.size()))(box.center());
        if (side == Side::inside) inside += volume_of(box);
        if (side == Side::both) crossed.push({volume_of(box), made, box});
        ++made;
    };
    judge(all);
    while (!crossed.empty() && made < most_boxes) {
        Box3 first = crossed.top().box, second = first;
        crossed.pop();
        const Vec3d n = first.size();
        const int axis = n.x >= n.y && n.x >= n.z ? 0 : n.y >= n.z ? 1 : 2;
        first.hi[axis] = second.lo[axis] = 0.5 * (first.lo[axis] + first.hi[axis]);
        judge(first);
        judge(second);
    }
    for (; !crossed.empty(); crossed.pop())
        inside += crossed.top().volume *
                  probed_share(shape, crossed.top().box, std::uint64_t{crossed.top().made});
    return inside;
}

}  // namespace knead
