// a = Q diag(lambda) Q^T for symmetric 3x3 matrices: Q a rotation, lambda sorted from the largest.
// A guess in closed form, then four Jacobi rotations: the same path for every input.
#pragma once

#include "knead/math/eigen_guess.h"

namespace knead {

template <class T>
struct EigenSym3 {
    Mat3<T> Q;
    Vec3<T> lambda;
};

namespace eigen_detail {

// Cosine and sine of the rotation that clears the entry xy of the matrix [[x, xy], [xy, y]].
template <class T>
struct Rotation {
    T c, s;
};
template <class T>
CPU_GPU inline Rotation<T> clearing(const T& x, const T& xy, const T& y) {
    const T g = T(2) * xy, d = y - x;
    const T h = sqrt(d * d + (g * g + T(smallest_normal<T>)));
    const T t = g / (d + copysign(h, d));
    const T c = T(1) / sqrt(T(1) + t * t);
    return {c, t * c};
}

template <class T>
CPU_GPU inline void turn(const Rotation<T>& r, T& x, T& y) {
    const T z = x;
    x = r.c * z - r.s * y;
    y = r.c * y + r.s * z;
}
template <class T>
CPU_GPU inline void turn(const Rotation<T>& r, Vec3<T>& x, Vec3<T>& y) {
    const Vec3<T> z = x;
    x = r.c * z - r.s * y;
    y = r.c * y + r.s * z;
}

// Clears m_xy in the basis (x, y, z); xz and yz are m's other two entries off the diagonal.
template <class T>
CPU_GPU inline void jacobi(T& m_xx, T& m_xy, T& m_yy, T& m_xz, T& m_yz, Vec3<T>& x, Vec3<T>& y) {
    const Rotation<T> r = clearing(m_xx, m_xy, m_yy);
    const T moved = (r.s / r.c) * m_xy;
    m_xx = m_xx - moved;
    m_yy = m_yy + moved;
    m_xy = T(0);
    turn(r, m_xz, m_yz);
    turn(r, x, y);
}

// To length one, for vectors that are there up to rounding.
template <class T>
CPU_GPU inline Vec3<T> polished(const Vec3<T>& a) {
    return (T(1.5) - T(0.5) * dot(a, a)) * a;
}

}  // namespace eigen_detail

template <class T>
CPU_GPU inline EigenSym3<T> eigen_sym(const Sym3<T>& a) {
    using namespace eigen_detail;
    // entries of order one
    const T diagonal_size = max(max(abs(a.xx), abs(a.yy)), abs(a.zz));
    const T size = power_of_two_below(max(max(max(abs(a.xy), abs(a.xz)), abs(a.yz)),
                                          max(diagonal_size, T(smallest_normal<T> * 64))));
    const Sym3<T> A = (T(1) / size) * a;

    // in the basis of the guess, x belongs to the largest or the smallest eigenvalue
    const EigenGuess<T> guess = guess_eigenvectors(A);
    Vec3<T> x = guess.v / length(guess.v);
    Vec3<T> y = guess.a / length(guess.a);
    Vec3<T> z = cross(x, y);
    Sym3<T> m = congruence(from_rows(x, y, z), A);
    jacobi(m.yy, m.yz, m.zz, m.xy, m.xz, y, z);
    jacobi(m.xx, m.xy, m.yy, m.xz, m.yz, x, y);
    jacobi(m.xx, m.xz, m.zz, m.xy, m.yz, x, z);
    jacobi(m.yy, m.yz, m.zz, m.xy, m.xz, y, z);

    // from the largest: first y and z, then x before or behind them
    const auto swap = m.zz > m.yy;
    const Vec3<T> upper = select(swap, z, y), lower = select(swap, -y, z);
    const T upper_value = max(m.yy, m.zz), lower_value = min(m.yy, m.zz);
    const auto last = guess.side < T(0);
    const Vec3<T> first = polished(select(last, upper, x));
    Vec3<T> second = select(last, lower, upper);
    second = polished(second - dot(first, second) * first);
    const T l1 = select(last, upper_value, m.xx), l2 = select(last, lower_value, upper_value);
    const T l3 = select(last, m.xx, lower_value);
    return {from_columns(first, second, cross(first, second)),
            size * Vec3<T>{max(l1, l2), l2, min(l2, l3)}};
}

template <class T>
CPU_GPU inline T largest_eigenvalue(const Sym3<T>& a) {
    return eigen_sym(a).lambda.x;
}

}  // namespace knead
