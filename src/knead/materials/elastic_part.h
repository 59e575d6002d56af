// The elastic part of a law, as implicit steps use it: plastic flow waits for the end of the step,
// so that within it stress follows from an energy of F alone.
#pragma once

#include "knead/materials/elasticity/stress_differential.h"
#include "knead/materials/law.h"

namespace knead {

// Whether a law has a stress differential: its elastic part is one of principal stretches that says
// how it curves.
template <class L>
concept HasDifferential = requires(const L& law, const Vec3<float>& s) {
    law.elastic.curvature(s);
};

template <class Real>
bool has_differential(const Law<Real>& law) {
    return std::visit([](const auto& one) { return HasDifferential<decltype(one)>; }, law);
}

// An elastic deformation gradient of a state; where the law remembers b = F F^T alone, its
// triangular factor, which an isotropic law cannot tell from any other.
template <unsigned columns, class T>
CPU_GPU inline Mat3<T> elastic_gradient(const MaterialState<T>& state) {
    if constexpr ((columns & uses_b) == 0) {
        return state.F;
    } else {
        const Sym3<T>& b = state.b;
        const T o = T(0), xx = sqrt(b.xx), yx = b.xy / xx, zx = b.xz / xx;
        const T yy = sqrt(b.yy - yx * yx), zy = (b.yz - zx * yx) / yy;
        const T zz = sqrt(b.zz - zx * zx - zy * zy);
        return cbrt(T(1) + state.dilation) * Mat3<T>{xx, o, o, yx, yy, o, zx, zy, zz};
    }
}

}  // namespace knead
