// A first guess at the eigenvectors of a symmetric 3x3 matrix, in closed form and without a branch:
// svd.h and eigen_sym.h start from it and finish with four Jacobi rotations.
#pragma once

#include "knead/math/mat.h"

namespace knead {

namespace eigen_detail {

// 2 cos(acos(x / 2) / 3) on [0, 2], to 1e-6: minimax polynomial.
template <class T>
CPU_GPU inline T largest_cosine(T x) {
    const T even = T(1.73205182628) - T(0.0237906266585) * (x * x);
    const T odd = T(0.16662602176) + T(0.0055137684390) * (x * x);
    const T high = T(0.000126074866400) * x - T(0.0011428054805);
    return (even + odd * x) + (high * (x * x)) * (x * x);
}

// The eigenvalue of d farthest from the others, for d with trace 0 and norm^2 6: it is at least
// sqrt(3) away from them, so that its eigenvector is well posed.
template <class T>
CPU_GPU inline T separated_eigenvalue(const Sym3<T>& d) {
    const T r = determinant(d);  // the roots are 2 cos((acos(r / 2) + 2 pi k) / 3)
    return copysign(largest_cosine(min(abs(r), T(2))), r);
}

// Row k of an adjugate of rank one, divided by entry (k, k), where k is the row that is longest;
// and a second vector orthogonal to the first.
template <class T>
CPU_GPU inline void longest_row(const Sym3<T>& m, Vec3<T>& v, Vec3<T>& a) {
    const auto y_leads = m.yy > m.xx;
    const auto z_leads = m.zz > max(m.xx, m.yy);
    const T pivot = max(max(m.xx, m.yy), m.zz);
    const T scale = T(1) / pivot;
    const T o = T(0), i = T(1);
    const T xy = m.xy * scale, xz = m.xz * scale, yz = m.yz * scale;
    v = select(y_leads, Vec3<T>{xy, i, yz}, Vec3<T>{i, xy, xz});
    v = select(z_leads, Vec3<T>{xz, yz, i}, v);
    a = select(z_leads, Vec3<T>{i, o, -v.x}, Vec3<T>{-v.y, v.x, o});
}

}  // namespace eigen_detail

// Three orthogonal vectors, right-handed and of length 1 to 3. v is the eigenvector whose
// eigenvalue is farthest from the other two, to about 1e-6 (or to rounding over the gap, when that
// is more).
template <class T>
struct EigenGuess {
    Vec3<T> v, a, b;
    T side;  // positive if v's eigenvalue is the largest, negative if it is the smallest
};

template <class T>
CPU_GPU inline EigenGuess<T> guess_eigenvectors(const Sym3<T>& s) {
    // the deviator, scaled so that its eigenvalues are of order one
    const Sym3<T> d = deviator(s);
    const T size = sqrt(norm_squared(d) * T(1.0 / 6.0) + T(smallest_normal<T>));
    const Sym3<T> unit = (T(1) / size) * d;

    // adj(unit - root I) = const v v^T, where v is the eigenvector
    EigenGuess<T> guess;
    guess.side = eigen_detail::separated_eigenvalue(unit);
    const Sym3<T> m = unit - sym_diagonal(splat(guess.side));
    eigen_detail::longest_row(adjugate(m), guess.v, guess.a);
    guess.b = cross(guess.v, guess.a);
    return guess;
}

}  // namespace knead
