// How much matter strains in a step.
#pragma once

#include "knead/math/mat.h"

namespace knead {

// |sym(dt grad v)|^2, for numbers or packs of Real.
template <class Real, class T>
CPU_GPU ALWAYS_INLINE T strain_squared(const Mat3<T>& dt_L) {
    const T half(Real(0.5));
    const Sym3<T> D{dt_L.xx,
                    dt_L.yy,
                    dt_L.zz,
                    half * (dt_L.xy + dt_L.yx),
                    half * (dt_L.xz + dt_L.zx),
                    half * (dt_L.yz + dt_L.zy)};
    return norm_squared(D);
}

}  // namespace knead
