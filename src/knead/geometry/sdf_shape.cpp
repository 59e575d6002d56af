#include "knead/geometry/sdf_shape.h"

#include <algorithm>

#include "knead/geometry/sdf_eval.h"

namespace knead {

double SdfShape::distance(const Vec3d& p) const {
    return program_ ? evaluate<double>(program_->view(), p) : Box3::huge;
}

// Where the gradient vanishes (the centre of a sphere, the core of a torus): the axis along which
// the distance grows most.
static Vec3d steepest_axis(const SdfShape& shape, const Vec3d& p) {
    const Box3 box = shape.bounds();
    const double step = box.bounded() && !box.empty() ? 1e-3 * length(box.size()) : 1e-3;
    Vec3d best{0, 1, 0};
    double most = -Box3::huge;
    for (int k = 0; k < 6; ++k) {
        Vec3d axis{0, 0, 0};
        axis[k / 2] = k % 2 ? -1 : 1;
        const double d = shape.distance(p + step * axis);
        if (d > most) most = d, best = axis;
    }
    return best;
}

Vec3d SdfShape::gradient(const Vec3d& p) const {
    if (!program_) return {0, 1, 0};
    const Vec3d g = evaluate<Dual<double>>(program_->view(), p).g;
    const double n = length(g);
    return n > 1e-6 ? g / n : steepest_axis(*this, p);
}

Box3 SdfShape::bounds() const { return program_ ? program_->bounds : Box3{}; }

}  // namespace knead
