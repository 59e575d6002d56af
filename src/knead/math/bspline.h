// Linear, quadratic and cubic B-spline weights along one axis.
#pragma once

#include "knead/math/scalar.h"

namespace knead {

// f is the particle's distance in cells from the first node of its support: [0, 1) linear,
// [0.5, 1.5) quadratic, [1, 2) cubic. Fills Order + 1 weights and their derivatives per cell.
template <int Order, class T>
CPU_GPU inline void bspline_weights(const T& f, T* w, T* dw) {
    static_assert(Order >= 1 && Order <= 3);
    if constexpr (Order == 1) {
        w[0] = T(1) - f, w[1] = f;
        dw[0] = T(-1), dw[1] = T(1);
    } else if constexpr (Order == 2) {
        const T a = T(1.5) - f, b = f - T(1), c = f - T(0.5);
        w[0] = T(0.5) * a * a;
        w[1] = T(0.75) - b * b;
        w[2] = T(0.5) * c * c;
        dw[0] = -a;
        dw[1] = T(-2) * b;
        dw[2] = c;
    } else {
        const T s = f - T(1), t = T(2) - f;  // distances to the two inner nodes
        w[0] = T(1.0 / 6.0) * (t * t * t);
        w[1] = (T(0.5) * s - T(1)) * (s * s) + T(2.0 / 3.0);
        w[2] = (T(0.5) * t - T(1)) * (t * t) + T(2.0 / 3.0);
        w[3] = T(1.0 / 6.0) * (s * s * s);
        dw[0] = T(-0.5) * (t * t);
        dw[1] = (T(1.5) * s - T(2)) * s;
        dw[2] = (T(2) - T(1.5) * t) * t;
        dw[3] = T(0.5) * (s * s);
    }
}

}  // namespace knead
