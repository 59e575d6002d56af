// Points binned into the cells of a grid, in single precision from the middle of all, so that SIMD
// can ask which are near a place. Answers may be off by the rounding of a float: they are for
// looking closer.
#pragma once

#include <span>
#include <vector>

#include "knead/particles/point_grid.h"
#include "knead/points/gather.h"

namespace knead {

class BinnedPoints {
public:
    BinnedPoints(std::span<const Vec3d> points, double cell);

    // visit(first, lanes): the points first + k, k a bit of `lanes`, in the order of cells, are
    // within the radius of a place, or a hair beyond it.
    template <class Visit>
    void for_each_near(const Vec3d& place, double radius, const Visit& visit) const {
        using P = Wide<float, 8>;
        const double r = radius * (1 + 1e-5) + slack_;
        const P limit(static_cast<float>(r * r));
        const Vec3f at = static_cast<Vec3f>(place - middle_);
        grid_.for_each_run(grid_.cell_of(place - splat(r)), grid_.cell_of(place + splat(r)),
                           [&](std::uint32_t begin, std::uint32_t end) {
                               for (std::uint32_t i = begin; i < end; i += 8) {
                                   const Vec3<P> d{P::load(x_[0].data() + i) - P(at.x),
                                                   P::load(x_[1].data() + i) - P(at.y),
                                                   P::load(x_[2].data() + i) - P(at.z)};
                                   const auto near =
                                       dot(d, d) < limit && first_lanes<float, 8>(int(end - i));
                                   if (const unsigned lanes = lane_set(near)) visit(i, lanes);
                               }
                           });
    }
    // Index of a visited point among those given, and its exact place.
    std::uint32_t row(std::uint32_t i) const { return row_[i]; }
    const Vec3d& point(std::uint32_t i) const { return grid_.point(i); }

private:
    PointGrid grid_;
    Vec3d middle_{0, 0, 0};
    double slack_ = 0;   // what rounding may do to a distance [m]
    Array<float> x_[3];  // padded by a pack
    Array<std::uint32_t> row_;
};

}  // namespace knead
