#include "knead/mpm/foam/resample/births.h"

#include <algorithm>

#include "knead/parallel/exec.h"

namespace knead {

namespace {

Birth birth_at(const PointGrid& points, const Vec3d& x, double r) {
    Birth birth{x, {}, {}};
    for (double reach = r; reach <= 2 * r && birth.donors.empty(); reach *= 1.25) {
        double least = reach * reach;
        points.for_each_within(x, reach, [&](std::uint32_t phase, std::uint32_t row, double d2) {
            if (d2 >= least) return;
            least = d2;
            birth.nearest = {phase, row};
        });
        points.for_each_within(x, reach, [&](std::uint32_t phase, std::uint32_t row, double) {
            if (phase == birth.nearest.phase) birth.donors.push_back(row);
        });
    }
    std::sort(birth.donors.begin(), birth.donors.end());
    return birth;
}

}  // namespace

std::vector<Birth> find_donors(const PointGrid& points, const std::vector<Vec3d>& x, double r) {
    std::vector<Birth> births(x.size());
    for_each(x.size(), 64, [&](std::size_t i) { births[i] = birth_at(points, x[i], r); });
    std::erase_if(births, [](const Birth& b) { return b.donors.empty(); });
    return births;
}

}  // namespace knead
