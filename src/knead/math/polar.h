// F = R S with R a rotation (det R = +1 for every F) and S symmetric. R is the rotation nearest to
// F; where det F < 0, the smallest principal stretch in S is negative  [Irving 2004].
#pragma once

#include "knead/math/svd.h"

namespace knead {

template <class T>
struct Polar3 {
    Mat3<T> R;
    Sym3<T> S;
};

template <class T>
CPU_GPU inline Polar3<T> polar(const Mat3<T>& F) {
    const Svd3<T> f = svd(F);
    return {f.U * transpose(f.V), congruence(f.V, f.sigma)};
}

namespace polar_detail {

// One step of Newton's iteration for the rotation, X <- (g X + X^-T / g) / 2  [Higham 1986]; the
// singular values s of X become (g s + 1 / (g s)) / 2. Returns the square of the change.
template <class T>
CPU_GPU ALWAYS_INLINE T newton_step(Mat3<T>& X, bool scaled) {
    const Mat3<T> C = cofactor(X);
    const T det = X.xx * C.xx + X.xy * C.xy + X.xz * C.xz;
    const T inv_det = T(1) / det;
    // |X^-T| / |X| is 1 / s^2 for a multiple of a rotation.
    const T g2 = scaled ? sqrt(norm_squared(C) / norm_squared(X)) * abs(inv_det) : T(1);
    const T g = scaled ? sqrt(g2) : T(1);
    const T half = T(0.5) * g, half_inverse = T(0.5) * inv_det / g;
    const Mat3<T> next = half * X + half_inverse * C;
    const T change = norm_squared(next - X);
    X = next;
    return change;
}

// The error after a step is half the square of the change.
template <class T>
constexpr auto small_change = static_cast<Element<T>>(sizeof(Element<T>) == 4 ? 1e-8 : 1e-17);

// Whether F turns nothing inside out and its second stretch counts beside the first. Otherwise its
// cofactors are rounding errors, and the iteration comes to rest at a rotation of those.
template <class T>
CPU_GPU ALWAYS_INLINE auto can_iterate(const Mat3<T>& F) {
    constexpr auto least = 64 * rounding_unit<T>;
    const T size = norm_squared(F);
    return norm_squared(cofactor(F)) > T(least * least) * size * size &&
           determinant(F) > T(smallest_normal<T>);
}

// The rotation of F from where a few steps have led: one more, or svd's answer.
template <class T>
CPU_GPU SELDOM Mat3<T> rotation_of_strong_stretch(const Mat3<T>& F, Mat3<T> X) {
    const T change = newton_step(X, false);
    const auto settled = change < T(small_change<T>) && can_iterate(F);
    if (all(settled)) return X;
    const Svd3<T> f = svd(F);
    return select(settled, X, f.U * transpose(f.V));
}

}  // namespace polar_detail

// The rotation alone. Newton's iteration squares its error in each step. A few suffice for all but
// strong stretch, whose lanes take one more; where that has not come to rest, or F is reflected or
// flat, the lane takes svd's answer.
template <class T>
CPU_GPU ALWAYS_INLINE Mat3<T> polar_rotation(const Mat3<T>& F) {
    const auto sound = polar_detail::can_iterate(F);
    Mat3<T> X = F;
    T change = polar_detail::newton_step(X, true);
    for (int k = 0; k < (sizeof(Element<T>) == 4 ? 3 : 4); ++k)
        change = polar_detail::newton_step(X, false);
    const auto settled = change < T(polar_detail::small_change<T>) && sound;
    if (all(settled)) return X;
    return select(settled, X, polar_detail::rotation_of_strong_stretch(F, X));
}

}  // namespace knead
