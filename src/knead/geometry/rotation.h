// Rotations as matrices and as vectors: axis times angle.
#pragma once

#include "knead/math/mat.h"

namespace knead {

// The rotation by |w| about w. [Rodrigues]
Mat3d rotation_of(const Vec3d& w);
// The shortest w that gives r; its length is at most pi.
Vec3d rotation_vector(const Mat3d& r);

}  // namespace knead
