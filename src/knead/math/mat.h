// Mat3 (row by row: m.xy is row x, column y) and Sym3, its symmetric sibling with six numbers.
#pragma once

#include "knead/math/vec.h"

namespace knead {

template <class T>
struct Mat3 {
    T xx, xy, xz, yx, yy, yz, zx, zy, zz;

    CPU_GPU Vec3<T> row(int i) const {
        return i == 0 ? Vec3<T>{xx, xy, xz} : i == 1 ? Vec3<T>{yx, yy, yz} : Vec3<T>{zx, zy, zz};
    }
    CPU_GPU Vec3<T> column(int j) const {
        return j == 0 ? Vec3<T>{xx, yx, zx} : j == 1 ? Vec3<T>{xy, yy, zy} : Vec3<T>{xz, yz, zz};
    }
    // Entry by running index 0..8, row by row.
    CPU_GPU T& operator[](int k) { return (&xx)[k]; }
    CPU_GPU const T& operator[](int k) const { return (&xx)[k]; }
    CPU_GPU T& operator()(int i, int j) { return (&xx)[3 * i + j]; }
    CPU_GPU const T& operator()(int i, int j) const { return (&xx)[3 * i + j]; }
    template <class S>
    CPU_GPU explicit operator Mat3<S>() const {
        return {S(xx), S(xy), S(xz), S(yx), S(yy), S(yz), S(zx), S(zy), S(zz)};
    }
    friend bool operator==(const Mat3&, const Mat3&) = default;
};

// Order of the six: xx yy zz xy xz yz.
template <class T>
struct Sym3 {
    T xx, yy, zz, xy, xz, yz;

    CPU_GPU T& operator[](int k) { return (&xx)[k]; }
    CPU_GPU const T& operator[](int k) const { return (&xx)[k]; }
    CPU_GPU explicit operator Mat3<T>() const { return {xx, xy, xz, xy, yy, yz, xz, yz, zz}; }
    friend bool operator==(const Sym3&, const Sym3&) = default;
};

using Mat3f = Mat3<float>;
using Mat3d = Mat3<double>;
using Sym3f = Sym3<float>;
using Sym3d = Sym3<double>;

template <class T>
CPU_GPU inline Mat3<T> diagonal(const Vec3<T>& d) {
    const T o = T(0);
    return {d.x, o, o, o, d.y, o, o, o, d.z};
}
template <class T>
CPU_GPU inline Mat3<T> identity3() {
    return diagonal(splat(T(1)));
}
template <class T>
CPU_GPU inline Mat3<T> from_columns(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c) {
    return {a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z};
}
template <class T>
CPU_GPU inline Mat3<T> from_rows(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c) {
    return {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
}
template <class T>
CPU_GPU inline Mat3<T> outer(const Vec3<T>& a, const Vec3<T>& b) {
    return from_rows(a.x * b, a.y * b, a.z * b);
}
template <class T>
CPU_GPU inline Mat3<T> operator+(const Mat3<T>& a, const Mat3<T>& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yx + b.yx, a.yy + b.yy,
            a.yz + b.yz, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
}
template <class T>
CPU_GPU inline Mat3<T> operator-(const Mat3<T>& a, const Mat3<T>& b) {
    return {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yx - b.yx, a.yy - b.yy,
            a.yz - b.yz, a.zx - b.zx, a.zy - b.zy, a.zz - b.zz};
}
template <class T>
CPU_GPU inline Mat3<T> operator*(std::type_identity_t<T> s, const Mat3<T>& a) {
    return {s * a.xx, s * a.xy, s * a.xz, s * a.yx, s * a.yy,
            s * a.yz, s * a.zx, s * a.zy, s * a.zz};
}
template <class T>
CPU_GPU inline Vec3<T> operator*(const Mat3<T>& a, const Vec3<T>& b) {
    return {a.xx * b.x + a.xy * b.y + a.xz * b.z, a.yx * b.x + a.yy * b.y + a.yz * b.z,
            a.zx * b.x + a.zy * b.y + a.zz * b.z};
}
template <class T>
CPU_GPU inline Mat3<T> operator*(const Mat3<T>& a, const Mat3<T>& b) {
    return {a.xx * b.xx + a.xy * b.yx + a.xz * b.zx, a.xx * b.xy + a.xy * b.yy + a.xz * b.zy,
            a.xx * b.xz + a.xy * b.yz + a.xz * b.zz, a.yx * b.xx + a.yy * b.yx + a.yz * b.zx,
            a.yx * b.xy + a.yy * b.yy + a.yz * b.zy, a.yx * b.xz + a.yy * b.yz + a.yz * b.zz,
            a.zx * b.xx + a.zy * b.yx + a.zz * b.zx, a.zx * b.xy + a.zy * b.yy + a.zz * b.zy,
            a.zx * b.xz + a.zy * b.yz + a.zz * b.zz};
}
template <class T>
CPU_GPU inline Mat3<T> transpose(const Mat3<T>& a) {
    return {a.xx, a.yx, a.zx, a.xy, a.yy, a.zy, a.xz, a.yz, a.zz};
}
template <class T>
CPU_GPU inline T trace(const Mat3<T>& a) {
    return a.xx + a.yy + a.zz;
}
template <class T>
CPU_GPU inline T determinant(const Mat3<T>& a) {
    return a.xx * (a.yy * a.zz - a.yz * a.zy) - a.xy * (a.yx * a.zz - a.yz * a.zx) +
           a.xz * (a.yx * a.zy - a.yy * a.zx);
}
// det(a) a^-T, which exists for every matrix.
template <class T>
CPU_GPU inline Mat3<T> cofactor(const Mat3<T>& a) {
    return {a.yy * a.zz - a.yz * a.zy, a.yz * a.zx - a.yx * a.zz, a.yx * a.zy - a.yy * a.zx,
            a.xz * a.zy - a.xy * a.zz, a.xx * a.zz - a.xz * a.zx, a.xy * a.zx - a.xx * a.zy,
            a.xy * a.yz - a.xz * a.yy, a.xz * a.yx - a.xx * a.yz, a.xx * a.yy - a.xy * a.yx};
}
template <class T>
CPU_GPU inline Mat3<T> inverse(const Mat3<T>& a) {
    return (T(1) / determinant(a)) * transpose(cofactor(a));
}
// Frobenius norm, squared.
template <class T>
CPU_GPU inline T norm_squared(const Mat3<T>& a) {
    return a.xx * a.xx + a.xy * a.xy + a.xz * a.xz + a.yx * a.yx + a.yy * a.yy + a.yz * a.yz +
           a.zx * a.zx + a.zy * a.zy + a.zz * a.zz;
}

template <class T>
CPU_GPU inline Sym3<T> operator+(const Sym3<T>& a, const Sym3<T>& b) {
    return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
template <class T>
CPU_GPU inline Sym3<T> operator-(const Sym3<T>& a, const Sym3<T>& b) {
    return {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
}
template <class T>
CPU_GPU inline Sym3<T> operator*(std::type_identity_t<T> s, const Sym3<T>& a) {
    return {s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz};
}
template <class T>
CPU_GPU inline Vec3<T> operator*(const Sym3<T>& a, const Vec3<T>& b) {
    return {a.xx * b.x + a.xy * b.y + a.xz * b.z, a.xy * b.x + a.yy * b.y + a.yz * b.z,
            a.xz * b.x + a.yz * b.y + a.zz * b.z};
}
template <class T>
CPU_GPU inline Sym3<T> sym_diagonal(const Vec3<T>& d) {
    const T o = T(0);
    return {d.x, d.y, d.z, o, o, o};
}
template <class T>
CPU_GPU inline Sym3<T> sym_identity() {
    return sym_diagonal(splat(T(1)));
}
template <class T>
CPU_GPU inline T trace(const Sym3<T>& a) {
    return a.xx + a.yy + a.zz;
}
template <class T>
CPU_GPU inline T determinant(const Sym3<T>& a) {
    return a.xx * (a.yy * a.zz - a.yz * a.yz) - a.xy * (a.xy * a.zz - a.yz * a.xz) +
           a.xz * (a.xy * a.yz - a.yy * a.xz);
}
template <class T>
CPU_GPU inline T norm_squared(const Sym3<T>& a) {
    return a.xx * a.xx + a.yy * a.yy + a.zz * a.zz +
           T(2) * (a.xy * a.xy + a.xz * a.xz + a.yz * a.yz);
}
// The part with zero trace.
template <class T>
CPU_GPU inline Sym3<T> deviator(const Sym3<T>& a) {
    const T third = (a.xx + a.yy + a.zz) * T(1.0 / 3.0);
    return {a.xx - third, a.yy - third, a.zz - third, a.xy, a.xz, a.yz};
}
// adj(a) = det(a) a^-1.
template <class T>
CPU_GPU inline Sym3<T> adjugate(const Sym3<T>& a) {
    return {a.yy * a.zz - a.yz * a.yz, a.xx * a.zz - a.xz * a.xz, a.xx * a.yy - a.xy * a.xy,
            a.xz * a.yz - a.xy * a.zz, a.xy * a.yz - a.xz * a.yy, a.xy * a.xz - a.xx * a.yz};
}
// The symmetric product a b a^T.
template <class T>
CPU_GPU inline Sym3<T> congruence(const Mat3<T>& a, const Sym3<T>& b) {
    const Vec3<T> r0 = a.row(0), r1 = a.row(1), r2 = a.row(2);
    const Vec3<T> s0 = b * r0, s1 = b * r1, s2 = b * r2;
    return {dot(r0, s0), dot(r1, s1), dot(r2, s2), dot(r0, s1), dot(r0, s2), dot(r1, s2)};
}
// q diag(d) q^T.
template <class T>
CPU_GPU inline Sym3<T> congruence(const Mat3<T>& q, const Vec3<T>& d) {
    const Vec3<T> r0 = q.row(0), r1 = q.row(1), r2 = q.row(2);
    return {dot(r0 * d, r0), dot(r1 * d, r1), dot(r2 * d, r2),
            dot(r0 * d, r1), dot(r0 * d, r2), dot(r1 * d, r2)};
}
// a a^T.
template <class T>
CPU_GPU inline Sym3<T> gram_rows(const Mat3<T>& a) {
    return congruence(a, splat(T(1)));
}
template <class C, class T>
CPU_GPU inline Mat3<T> select(const C& c, const Mat3<T>& a, const Mat3<T>& b) {
    Mat3<T> r;
    for (int k = 0; k < 9; ++k) r[k] = select(c, a[k], b[k]);
    return r;
}
template <class C, class T>
CPU_GPU inline Sym3<T> select(const C& c, const Sym3<T>& a, const Sym3<T>& b) {
    Sym3<T> r;
    for (int k = 0; k < 6; ++k) r[k] = select(c, a[k], b[k]);
    return r;
}

}  // namespace knead
