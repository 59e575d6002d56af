// F = U diag(sigma) V^T for 3x3 matrices, with U and V rotations and sigma sorted by magnitude; the
// last singular value carries the sign of det F  [Irving 2004]. Every input takes the same path and
// the same time, so SIMD lanes and GPU threads stay together.
//
// The eigenvectors of F^T F are guessed in closed form; one-sided Jacobi rotations [Hestenes 1958]
// then make the columns of F V orthogonal. The guess is off by 1e-6 at most where it matters, and a
// round of rotations cubes that, hence four rotations are enough for double too.
#pragma once

#include "knead/math/eigen_guess.h"

namespace knead {

template <class T>
struct Svd3 {
    Mat3<T> U;
    Vec3<T> sigma;
    Mat3<T> V;
};

namespace svd_detail {

using knead::select;

// A column of V, not normalised, with its square length and its image.
template <class T>
struct ColumnPair {
    Vec3<T> v;
    Vec3<T> b;  // F v
    T n;        // |v|^2
};
template <class C, class T>
CPU_GPU inline ColumnPair<T> select(const C& c, const ColumnPair<T>& a, const ColumnPair<T>& b) {
    return {select(c, a.v, b.v), select(c, a.b, b.b), select(c, a.n, b.n)};
}

// The rotation of p and q in their plane that makes their images orthogonal, as the number
// tan(angle) / (|p| |q|); d tells how much q's image is stretched more than p's.
template <class T>
CPU_GPU inline T rotation_between(const ColumnPair<T>& p, const ColumnPair<T>& q, T& d) {
    const T g = T(2) * dot(p.b, q.b);
    d = dot(q.b, q.b) * p.n - dot(p.b, p.b) * q.n;
    const T h = sqrt(d * d + (g * g * (p.n * q.n) + T(smallest_normal<T>)));
    return g / (d + copysign(h, d));
}

// Turns p and q without the cosine: the lengths grow, and n keeps the account.
template <class T>
CPU_GPU inline void rotate(ColumnPair<T>& p, ColumnPair<T>& q, const T& turn) {
    const T tp = turn * p.n, tq = turn * q.n;
    const T growth = T(1) + tp * tq;
    const Vec3<T> v = p.v, b = p.b;
    p = {v - tp * q.v, b - tp * q.b, p.n * growth};
    q = {q.v + tq * v, q.b + tq * b, q.n * growth};
}

// q and r to orthogonal images, the more stretched one first; one changes sign if they swap, so
// that V stays a rotation.
template <class T>
CPU_GPU inline void rotate_and_sort(ColumnPair<T>& q, ColumnPair<T>& r) {
    T d;
    const T turn = rotation_between(q, r, d);
    rotate(q, r, turn);
    const auto swap = d > T(0);
    const ColumnPair<T> a = q;
    q = {select(swap, r.v, a.v), select(swap, r.b, a.b), select(swap, r.n, a.n)};
    r = {select(swap, -a.v, r.v), select(swap, -a.b, r.b), select(swap, a.n, r.n)};
}

// p is nearly right, q and r are any pair across it: theirs is the one large angle. Once they are
// orthogonal, p's two small angles do not disturb each other.
template <class T>
CPU_GPU inline void orthogonalize(ColumnPair<T>& p, ColumnPair<T>& q, ColumnPair<T>& r) {
    T d;
    rotate(q, r, rotation_between(q, r, d));
    const T turn_q = rotation_between(p, q, d), turn_r = rotation_between(p, r, d);
    rotate(p, q, turn_q);
    rotate(p, r, turn_r);
    rotate_and_sort(q, r);
}

// The factors from sorted columns. Where fewer than three images carry direction, U is completed to
// a rotation.
template <class T>
CPU_GPU inline Svd3<T> assemble(const ColumnPair<T>& p, const ColumnPair<T>& q,
                                const ColumnPair<T>& r, const T& size) {
    const T o = T(0), tiny = T(smallest_normal<T>);
    const T p_scale = T(1) / sqrt(dot(p.v, p.v));
    const T q_scale = T(1) / sqrt(dot(q.v, q.v));
    const T r_scale = T(1) / sqrt(dot(r.v, r.v));
    const Vec3<T> v1 = p_scale * p.v, v2 = q_scale * q.v;

    const T square = max(dot(p.b, p.b), tiny), length = sqrt(square);
    const Vec3<T> u1 = select(square > tiny, p.b / length, Vec3<T>{T(1), o, o});

    // the second image, or any direction across the first
    const Vec3<T> rest = q.b - (dot(p.b, q.b) / square) * p.b;
    const Vec3<T> across =
        select(abs(u1.x) > abs(u1.z), Vec3<T>{-u1.y, u1.x, o}, Vec3<T>{o, -u1.z, u1.y});
    const T rest_square = dot(rest, rest);
    const auto lost = rest_square <= T(64 * rounding_unit<T> * rounding_unit<T>) * square + tiny;
    const T second_square = select(lost, dot(across, across), rest_square);
    const Vec3<T> u2 = select(lost, across, rest) / sqrt(second_square);
    const Vec3<T> u3 = cross(u1, u2);

    // the order holds up to rounding already
    const T sigma3 = dot(u3, r.b) * r_scale;
    const T sigma2 = max(dot(u2, q.b) * q_scale, abs(sigma3));
    const T sigma1 = max(length * p_scale, sigma2);
    return {from_columns(u1, u2, u3), size * Vec3<T>{sigma1, sigma2, sigma3},
            from_columns(v1, v2, cross(v1, v2))};
}

// A power of two near the largest entry, kept where its inverse is normal.
template <class T>
CPU_GPU inline T magnitude(const Mat3<T>& F) {
    const T x = max(max(abs(F.xx), abs(F.xy)), abs(F.xz));
    const T y = max(max(abs(F.yx), abs(F.yy)), abs(F.yz));
    const T z = max(max(abs(F.zx), abs(F.zy)), abs(F.zz));
    return power_of_two_below(max(max(x, y), max(z, T(smallest_normal<T> * 64))));
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

    // the guess: p belongs to the largest or the smallest singular value
    const EigenGuess<T> guess = guess_eigenvectors(gram_columns(A));
    ColumnPair<T> p, q, r;
    p.v = guess.v, q.v = guess.a, r.v = guess.b;
    p.b = A * p.v, q.b = A * q.v, r.b = A * r.v;
    p.n = dot(p.v, p.v), q.n = dot(q.v, q.v), r.n = dot(r.v, r.v);
    orthogonalize(p, q, r);

    const auto last = guess.side < T(0);
    return assemble(select(last, q, p), select(last, r, q), select(last, p, r), size);
}

}  // namespace knead
