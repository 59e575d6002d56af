// The symmetric part of a b^T: a stress P F^T whose skew part is rounding.
#pragma once

#include "knead/math/mat.h"

namespace knead {

template <class T>
CPU_GPU inline Sym3<T> symmetric_product(const Mat3<T>& a, const Mat3<T>& b) {
    const Vec3<T> a0 = a.row(0), a1 = a.row(1), a2 = a.row(2);
    const Vec3<T> b0 = b.row(0), b1 = b.row(1), b2 = b.row(2);
    const T half = T(0.5);
    return {dot(a0, b0),
            dot(a1, b1),
            dot(a2, b2),
            half * (dot(a0, b1) + dot(a1, b0)),
            half * (dot(a0, b2) + dot(a2, b0)),
            half * (dot(a1, b2) + dot(a2, b1))};
}

}  // namespace knead
