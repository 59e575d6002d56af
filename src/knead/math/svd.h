// F = U diag(sigma) V^T for 3x3 matrices, with U and V rotations and sigma sorted by magnitude; the
// last singular value carries the sign of det F  [Irving 2004]. Every input takes the same path and
// the same time, so SIMD lanes and GPU threads stay together.
//
// The eigenvectors of F^T F are guessed in closed form; one-sided Jacobi rotations [Hestenes 1958]
// then make the columns of F V orthogonal. The guess is off by 1e-6 at most where it matters, and a
// round of rotations cubes that, hence four rotations are enough for double too.
#pragma once

#include "knead/math/eigen_basis.h"

namespace knead {

template <class T>
struct Svd3 {
    Mat3<T> U;
    Vec3<T> sigma;
    Mat3<T> V;
};

namespace svd_detail {

// A column of V, not normalised, with its square length and its image.
template <class T>
struct Column {
    Vec3<T> v;
    Vec3<T> b;  // F v
    T n;        // |v|^2
};

// Rotates p and q in their plane so that their images become orthogonal. The rotation is written
// without its cosine: the lengths grow, and n keeps the account.
template <class T>
CPU_GPU inline void orthogonalize(Column<T>& p, Column<T>& q) {
    const T g = T(2) * dot(p.b, q.b);
    const T d = dot(q.b, q.b) * p.n - dot(p.b, p.b) * q.n;
    const T h = sqrt(d * d + (g * g * (p.n * q.n) + T(smallest_normal<T>)));
    const T k = g / (d + copysign(h, d));
    const T tp = k * p.n, tq = k * q.n;
    const T growth = T(1) + tp * tq;
    const Vec3<T> v = p.v, b = p.b;
    p = {v - tp * q.v, b - tp * q.b, p.n * growth};
    q = {q.v + tq * v, q.b + tq * b, q.n * growth};
}

// Puts the column first whose image is longer; the other one changes sign if they swap, so that V
// stays a rotation. `size` is the square stretch |b|^2 / |v|^2 of each.
template <class T>
CPU_GPU inline void sort_pair(Column<T>& p, T& p_size, Column<T>& q, T& q_size) {
    const auto swap = q_size > p_size;
    const Column<T> a = p;
    const T larger = select(swap, q_size, p_size);
    q_size = select(swap, p_size, q_size);
    p_size = larger;
    p = {select(swap, q.v, a.v), select(swap, q.b, a.b), select(swap, q.n, a.n)};
    q = {select(swap, -a.v, q.v), select(swap, -a.b, q.b), select(swap, a.n, q.n)};
}

template <class T>
CPU_GPU inline void sort(Column<T>& p, Column<T>& q, Column<T>& r) {
    T p_size = dot(p.b, p.b) / p.n, q_size = dot(q.b, q.b) / q.n, r_size = dot(r.b, r.b) / r.n;
    sort_pair(p, p_size, q, q_size);
    sort_pair(q, q_size, r, r_size);
    sort_pair(p, p_size, q, q_size);
}

// The factors from sorted columns. Where fewer than three images carry direction, U is completed to
// a rotation.
template <class T>
CPU_GPU inline Svd3<T> assemble(const Column<T>& p, const Column<T>& q, const Column<T>& r,
                                const T& size) {
    const T o = T(0), tiny = T(smallest_normal<T>);
    const T p_scale = T(1) / sqrt(dot(p.v, p.v));
    const T q_scale = T(1) / sqrt(dot(q.v, q.v));
    const T r_scale = T(1) / sqrt(dot(r.v, r.v));
    const Vec3<T> v1 = p_scale * p.v, v2 = q_scale * q.v;

    const T p_square = dot(p.b, p.b), p_length = sqrt(p_square);
    const Vec3<T> u1 = select(p_square > tiny, p.b / max(p_length, tiny), Vec3<T>{T(1), o, o});

    // the second image, or any direction across the first
    const Vec3<T> rest = q.b - dot(u1, q.b) * u1;
    const T noise = T(64 * rounding_unit<T> * rounding_unit<T>) * p_square + tiny;
    const Vec3<T> across =
        select(abs(u1.x) > abs(u1.z), Vec3<T>{-u1.y, u1.x, o}, Vec3<T>{o, -u1.z, u1.y});
    const Vec3<T> second = select(dot(rest, rest) > noise, rest, across);
    const Vec3<T> u2 = second / sqrt(dot(second, second));
    const Vec3<T> u3 = cross(u1, u2);

    const T sigma3 = dot(u3, r.b) * r_scale;
    const T sigma2 = max(dot(u2, q.b) * q_scale, abs(sigma3));
    const T sigma1 = max(p_length * p_scale, sigma2);
    return {from_columns(u1, u2, u3), size * Vec3<T>{sigma1, sigma2, sigma3},
            from_columns(v1, v2, cross(v1, v2))};
}

// A power of two near the largest entry, kept where its inverse is normal.
template <class T>
CPU_GPU inline T magnitude(const Mat3<T>& F) {
    T m = T(smallest_normal<T> * 64);
    for (int k = 0; k < 9; ++k) m = max(m, abs(F[k]));
    return power_of_two_below(m);
}

// F^T F.
template <class T>
CPU_GPU inline Sym3<T> gram_columns(const Mat3<T>& F) {
    const Vec3<T> x = F.column(0), y = F.column(1), z = F.column(2);
    return {dot(x, x), dot(y, y), dot(z, z), dot(x, y), dot(x, z), dot(y, z)};
}

}  // namespace svd_detail

template <class T>
CPU_GPU inline Svd3<T> svd(const Mat3<T>& F) {
    using namespace svd_detail;
    // entries of order one
    const T size = magnitude(F);
    const Mat3<T> A = (T(1) / size) * F;

    // the guess
    const Mat3<T> basis = separated_basis(gram_columns(A));
    Column<T> p, q, r;
    p.v = basis.column(0), q.v = basis.column(1), r.v = basis.column(2);
    p.b = A * p.v, q.b = A * q.v, r.b = A * r.v;
    p.n = dot(p.v, p.v), q.n = dot(q.v, q.v), r.n = dot(r.v, r.v);

    // q and r may be any pair across p, so theirs is the one large angle
    orthogonalize(q, r);
    orthogonalize(p, q);
    orthogonalize(p, r);
    orthogonalize(q, r);

    sort(p, q, r);
    return assemble(p, q, r, size);
}

}  // namespace knead
