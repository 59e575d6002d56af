// Moving least squares: the linear map that best carries vectors x to vectors y,
//     min over D of  sum w |D x - y|^2,   D = (sum w y x^T) (sum w x x^T)^-1.
// T is float, double or a SIMD pack.
#pragma once

#include "knead/math/eigen_sym.h"

namespace knead {

template <class T>
struct MlsMoments {
    Sym3<T> A;  // sum w x x^T
    Mat3<T> B;  // sum w y x^T

    CPU_GPU static MlsMoments zero() {
        const T o = T(0);
        return {{o, o, o, o, o, o}, {o, o, o, o, o, o, o, o, o}};
    }
    CPU_GPU void add(const T& w, const Vec3<T>& x, const Vec3<T>& y) {
        const Vec3<T> a = w * x;
        A = A + Sym3<T>{a.x * x.x, a.y * x.y, a.z * x.z, a.x * x.y, a.x * x.z, a.y * x.z};
        B = B + outer(y, a);
    }
};

// How far a fit can be trusted, by k, the smallest over the largest eigenvalue of A: not at all
// where the vectors all but lie in a plane, wholly where they are spread. The fit divides by the
// smallest: what is out of plane by a share s of the reach is seen 1 / s times too large, so that a
// single layer with a little disorder shakes itself apart; two layers have k = 0.4 or more.
inline constexpr double mls_least_spread = 0.05, mls_full_spread = 0.2;
template <class T>
CPU_GPU inline T mls_trust(const Sym3<T>& A, double low = mls_least_spread,
                           double high = mls_full_spread) {
    // det A / tr(A)^3 is at most k / (6.75 (1 + k)^2), which nearly always settles it
    const T tr = trace(A);
    const auto surely =
        determinant(A) > T(high / (6.75 * (1 + high) * (1 + high))) * (tr * tr * tr);
    if (all(surely)) return T(1);
    const Vec3<T> lambda = eigen_sym(A).lambda;
    const T k = lambda.z / max(lambda.x, T(smallest_normal<T>));
    return select(surely, T(1), clamp((k - T(low)) / T(high - low), T(0), T(1)));
}

// A^-1; defined where A is well conditioned.
template <class T>
CPU_GPU inline Sym3<T> inverse(const Sym3<T>& A) {
    const Sym3<T> adj = adjugate(A);
    return (T(1) / (A.xx * adj.xx + A.xy * adj.xy + A.xz * adj.xz)) * adj;
}

template <class T>
CPU_GPU inline Mat3<T> mls_fit(const MlsMoments<T>& m) {
    return m.B * static_cast<Mat3<T>>(inverse(m.A));
}

}  // namespace knead
