// Whether a ball around a point is all outside a shape, all inside, or may be both.
#pragma once

#include "knead/geometry/sdf_program.h"
#include "knead/geometry/sdf_shape.h"

namespace knead {

enum class Side { outside, inside, both };

struct BallTest {
    const SdfShape& shape;
    double reach;  // by how much the distance may change within the ball

    BallTest(const SdfShape& s, double radius)
        : shape(s), reach(s.program()->lipschitz * radius + s.program()->slack) {}
    Side operator()(const Vec3d& center) const {
        const double d = shape.distance(center);
        return d > reach ? Side::outside : d < -reach ? Side::inside : Side::both;
    }
};

}  // namespace knead
