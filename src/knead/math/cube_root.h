// 1 / cbrt(a), quick for a near one, as the determinant of what deforms by small steps is.
#pragma once

#include "knead/math/scalar.h"

namespace knead {

namespace cube_root_detail {

template <class T>
CPU_GPU SELDOM T inverse_by_cbrt(const T& a) {
    return T(1) / cbrt(a);
}

}  // namespace cube_root_detail

// Newton's iteration y <- y + y r / 3 with r = 1 - a y^3, which leaves an error of 2 (r / 3)^2;
// lanes where that is more than rounding take the root itself.
template <class T>
CPU_GPU ALWAYS_INLINE T inverse_cube_root(const T& a) {
    constexpr bool single = sizeof(Element<T>) == 4;
    const T third(static_cast<Element<T>>(1.0 / 3.0));
    T y = T(1) + (T(1) - a) * third, rest{};
    for (int k = 0; k < (single ? 2 : 3); ++k) {
        rest = T(1) - a * (y * y * y);
        y = y + y * rest * third;
    }
    const auto settled = abs(rest) < T(static_cast<Element<T>>(single ? 2e-4 : 1e-8));
    if (all(settled)) return y;
    return select(settled, y, cube_root_detail::inverse_by_cbrt(a));
}

}  // namespace knead
