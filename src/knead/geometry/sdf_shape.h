// Shapes as signed distance expressions: primitives, transforms and set operations in one flat
// program that runs on CPU and GPU. Negative inside.
#pragma once

#include <memory>

#include "knead/geometry/box3.h"
#include "knead/math/mat.h"

namespace knead {

struct SdfProgram;

// A value: copies share one immutable program.
class SdfShape {
public:
    double distance(const Vec3d& p) const;
    Vec3d gradient(const Vec3d& p) const;  // unit length wherever the distance is smooth
    Box3 bounds() const;                   // contains every point with distance <= 0

private:
    std::shared_ptr<const SdfProgram> program_;
};

}  // namespace knead
