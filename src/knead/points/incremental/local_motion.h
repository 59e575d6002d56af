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

class LocalMotion {
public:
    // Points start here; `near` is the distance to look at [m].
    void start(std::span<const Vec3d> points, double near);
    // The points have moved on. If all within `near` of a point were within reach[i] of it once,
    // before this step, they still are: reach[i] grows by as much as the step may have brought them
    // nearer. False: they moved too far to tell.
    bool advance(std::span<const Vec3d> points, std::vector<double>& reach);
    std::size_t bytes() const;

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
