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

// Smallest over largest eigenvalue; below 1 part in 1000 the vectors all but lie in a plane.
inline constexpr double mls_least_condition = 1e-3;
template <class T>
CPU_GPU inline auto is_well_conditioned(const Sym3<T>& A) {
    // lambda_1 lambda_2 <= tr^2 / 4 and lambda_1 <= tr bound the ratio from below, nearly always
    // enough
    const T tr = trace(A);
    const auto surely = T(4) * determinant(A) > T(mls_least_condition) * (tr * tr * tr);
    if (all(surely)) return surely;
    const Vec3<T> lambda = eigen_sym(A).lambda;
    return surely || lambda.z > T(mls_least_condition) * lambda.x;
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
