// Particles sorted into cubic cells, to find those near a point or a box. Within a cell they keep
// their order, so that sums over them come out the same every time.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "knead/math/vec.h"

namespace knead {

class ParticleCells {
public:
    ParticleCells(const std::vector<Vec3f>& positions, double cell);

    // visit(particle) for every particle in a cell that meets the box [lo, hi].
    template <class Visit>
    void for_each_in_box(const Vec3d& lo, const Vec3d& hi, const Visit& visit) const {
        const Vec3i a = cell_of(lo), b = cell_of(hi);
        for (int i = a.x; i <= b.x; ++i)
            for (int j = a.y; j <= b.y; ++j)
                for (int k = a.z; k <= b.z; ++k) {
                    const auto found = starts_.find(key({i, j, k}));
                    if (found == starts_.end()) continue;
                    const std::size_t end = found->second.second;
                    for (std::size_t n = found->second.first; n < end; ++n) visit(order_[n]);
                }
    }

private:
    Vec3i cell_of(const Vec3d& x) const;
    static std::uint64_t key(const Vec3i& c);

    double cell_;
    std::vector<std::uint32_t> order_;  // particles, cell after cell
    std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>> starts_;
};

}  // namespace knead
