// A first guess at the eigenvectors of a symmetric 3x3 matrix, in closed form and without a branch:
// svd.h and eigen_sym.h start from it and finish with four Jacobi rotations.
#pragma once

#include "knead/math/mat.h"

namespace knead {

namespace eigen_detail {

// cos(acos(x) / 3) on [0, 1], to 5e-7: minimax polynomial.
template <class T>
CPU_GPU inline T cos_third(T x) {
    T c = T(0.0020171978624);
    c = c * x - T(0.0091424438440);
    c = c * x + T(0.022055073756);
    c = c * x - T(0.047581253317);
    c = c * x + T(0.16662602176);
    return c * x + T(0.86602591314);
}

// The eigenvalue of d farthest from the others, for d with trace 0 and norm^2 6: it is at least
// sqrt(3) away from them, so that its eigenvector is well posed.
template <class T>
CPU_GPU inline T separated_eigenvalue(const Sym3<T>& d) {
    const T r = T(0.5) * determinant(d);  // the roots are 2 cos((acos(r) + 2 pi k) / 3)
    return copysign(T(2) * cos_third(min(abs(r), T(1))), r);
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

// Three orthogonal vectors, right-handed and of length 1 to 3, as columns. The first is the
// eigenvector of s whose eigenvalue is farthest from the other two, to about 1e-6 (or to rounding
// over the gap, when that is more).
template <class T>
CPU_GPU inline Mat3<T> separated_basis(const Sym3<T>& s) {
    // the deviator, scaled so that its eigenvalues are of order one
    const Sym3<T> d = deviator(s);
    const T size = sqrt(norm_squared(d) * T(1.0 / 6.0) + T(smallest_normal<T>));
    const Sym3<T> unit = (T(1) / size) * d;

    // adj(unit - root I) = const v v^T, where v is the eigenvector
    const T root = eigen_detail::separated_eigenvalue(unit);
    const Sym3<T> m = unit - sym_diagonal(splat(root));
    Vec3<T> v, a;
    eigen_detail::longest_row(adjugate(m), v, a);
    return from_columns(v, a, cross(v, a));
}

}  // namespace knead
