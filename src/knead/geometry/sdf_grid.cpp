#include "knead/geometry/sdf_grid.h"

#include <cmath>

namespace knead {

namespace {

constexpr float unknown = 1e29f;

struct Spread {
    SdfGrid& grid;
    std::vector<Vec3f>& closest;

    // Takes over the neighbour's surface point where it is nearer.
    bool take(const Vec3i& n, const Vec3i& from) const {
        const Vec3i m = n + from;
        if (m.x < 0 || m.y < 0 || m.z < 0 || m.x >= grid.size.x || m.y >= grid.size.y ||
            m.z >= grid.size.z)
            return false;
        const Vec3f& offered = closest[grid.index(m.x, m.y, m.z)];
        if (offered.x > unknown) return false;
        const std::size_t at = grid.index(n.x, n.y, n.z);
        const float d = length(static_cast<Vec3f>(grid.point(n.x, n.y, n.z)) - offered);
        if (!(d < std::fabs(grid.values[at]))) return false;
        grid.values[at] = std::copysign(d, grid.values[at]);
        closest[at] = offered;
        return true;
    }
    // One pass over the nodes, each looking back the way the pass came.
    bool run(bool fx, bool fy, bool fz) const {
        const Vec3i n = grid.size;
        const int sx = fx ? -1 : 1, sy = fy ? -1 : 1, sz = fz ? -1 : 1;
        bool changed = false;
        for (int c = 0; c < n.z; ++c)
            for (int b = 0; b < n.y; ++b)
                for (int a = 0; a < n.x; ++a) {
                    const Vec3i at{fx ? a : n.x - 1 - a, fy ? b : n.y - 1 - b,
                                   fz ? c : n.z - 1 - c};
                    for (int back = 1; back < 8; ++back)
                        changed |=
                            take(at, {back & 1 ? sx : 0, back & 2 ? sy : 0, back & 4 ? sz : 0});
                }
        return changed;
    }
};

}  // namespace

void spread_distances(SdfGrid& grid, std::vector<Vec3f> closest) {
    for (std::size_t i = 0; i < closest.size(); ++i)
        if (closest[i].x > unknown) grid.values[i] = std::copysign(1e30f, grid.values[i]);
    const Spread spread{grid, closest};
    bool changed = true;
    for (int round = 0; round < 3 && changed; ++round) {
        changed = false;
        for (int k = 0; k < 8; ++k) changed |= spread.run(k & 1, k & 2, k & 4);
    }
}

}  // namespace knead
