#include "knead/geometry/sdf_grid.h"

#include <cmath>

namespace knead {

namespace {

constexpr float unknown = 1e17f;  // its square is still a float

struct Spread {
    SdfGrid& grid;
    std::vector<Vec3f>& closest;

    bool has(const Vec3i& m) const {
        return m.x >= 0 && m.y >= 0 && m.z >= 0 && m.x < grid.size.x && m.y < grid.size.y &&
               m.z < grid.size.z;
    }
    // Takes over the nearest of the surface points that the seven neighbours on one side have.
    bool visit(const Vec3i& n, int sx, int sy, int sz) const {
        const std::size_t at = grid.index(n.x, n.y, n.z);
        const Vec3f p = static_cast<Vec3f>(grid.point(n.x, n.y, n.z));
        const Vec3f* nearest = nullptr;
        float least = grid.values[at] * grid.values[at];
        for (int back = 1; back < 8; ++back) {
            const Vec3i m = n + Vec3i{back & 1 ? sx : 0, back & 2 ? sy : 0, back & 4 ? sz : 0};
            if (!has(m)) continue;
            const Vec3f& offered = closest[grid.index(m.x, m.y, m.z)];
            const float d2 = length_squared(p - offered);
            if (d2 < least) least = d2, nearest = &offered;
        }
        if (!nearest) return false;
        grid.values[at] = std::copysign(std::sqrt(least), grid.values[at]);
        closest[at] = *nearest;
        return true;
    }
    // One pass over the nodes, each looking back the way the pass came.
    bool run(bool fx, bool fy, bool fz) const {
        const Vec3i n = grid.size;
        bool changed = false;
        for (int c = 0; c < n.z; ++c)
            for (int b = 0; b < n.y; ++b)
                for (int a = 0; a < n.x; ++a)
                    changed |=
                        visit({fx ? a : n.x - 1 - a, fy ? b : n.y - 1 - b, fz ? c : n.z - 1 - c},
                              fx ? -1 : 1, fy ? -1 : 1, fz ? -1 : 1);
        return changed;
    }
};

}  // namespace

void spread_distances(SdfGrid& grid, std::vector<Vec3f> closest) {
    for (std::size_t i = 0; i < closest.size(); ++i)
        if (closest[i].x > unknown) {
            closest[i] = splat(1e18f);
            grid.values[i] = std::copysign(unknown, grid.values[i]);
        }
    const Spread spread{grid, closest};
    bool changed = true;
    for (int round = 0; round < 2 && changed; ++round) {
        changed = false;
        for (int k = 0; k < 8; ++k) changed |= spread.run(k & 1, k & 2, k & 4);
    }
}

}  // namespace knead
