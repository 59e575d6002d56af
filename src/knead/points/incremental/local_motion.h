// How much points that are near each other come nearer, step by step, whatever the linear map that
// all of them move by together. What a step leaves beside that map is bounded region by region,
// since neighbours move alike.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "knead/geometry/box3.h"
#include "knead/math/mat.h"

namespace knead {

// Two points at a distance d now were at most factor d + extra apart once.
struct PastDistance {
    double factor = 1, extra = 0;
    double operator()(double d) const { return factor * d + extra; }
};

class LocalMotion {
public:
    // Points start here; `near` is the distance to look at [m].
    void start(std::span<const Vec3d> points, double near);
    // The points have moved on, and past[i] with them: it holds for point i and any that is, and
    // was all the while, within `near` of it. False: they moved too far to tell.
    bool advance(std::span<const Vec3d> points, std::vector<PastDistance>& past);
    std::size_t bytes() const;

    // Points within `near` of each other are in regions that touch.
    std::size_t regions() const { return touching_.size(); }
    // By row.
    std::span<const std::uint32_t> points_of(std::size_t region) const {
        return {rows_.data() + first_[region], rows_.data() + first_[region + 1]};
    }
    // 27 of them, the region itself where there is none.
    std::span<const std::uint32_t> touching(std::size_t region) const { return touching_[region]; }

private:
    void find_regions(std::span<const Vec3d> points);
    // The most by which two points of this region and those that touch it came apart.
    double apart(std::size_t region) const;

    double near_ = 0;
    std::vector<Vec3d> last_;
    std::vector<std::uint32_t> first_, rows_;              // the points of each region
    std::vector<std::array<std::uint32_t, 27>> touching_;  // of each region, itself for none
    std::vector<Box3> boxes_;  // of what each region's points did in the last step
    double spread_ = 0;  // how far points within `near` now may have been when regions were found
};

}  // namespace knead
