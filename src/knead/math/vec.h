// Vec3: three numbers. T is float, double, int or a SIMD pack.
#pragma once

#include "knead/math/scalar.h"

namespace knead {

template <class T>
struct Vec3 {
    T x, y, z;

    CPU_GPU T& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
    CPU_GPU const T& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
    template <class S>
    CPU_GPU explicit operator Vec3<S>() const {
        return {static_cast<S>(x), static_cast<S>(y), static_cast<S>(z)};
    }
    friend bool operator==(const Vec3&, const Vec3&) = default;
};

using Vec3f = Vec3<float>;
using Vec3d = Vec3<double>;
using Vec3i = Vec3<int>;

template <class T>
CPU_GPU inline Vec3<T> splat(T a) {
    return {a, a, a};
}
template <class T>
CPU_GPU inline Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
CPU_GPU inline Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
CPU_GPU inline Vec3<T> operator-(const Vec3<T>& a) {
    return {-a.x, -a.y, -a.z};
}
// Entry by entry.
template <class T>
CPU_GPU inline Vec3<T> operator*(const Vec3<T>& a, const Vec3<T>& b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}
template <class T>
CPU_GPU inline Vec3<T> operator*(std::type_identity_t<T> s, const Vec3<T>& a) {
    return {s * a.x, s * a.y, s * a.z};
}
template <class T>
CPU_GPU inline Vec3<T> operator*(const Vec3<T>& a, std::type_identity_t<T> s) {
    return s * a;
}
template <class T>
CPU_GPU inline Vec3<T> operator/(const Vec3<T>& a, std::type_identity_t<T> s) {
    return {a.x / s, a.y / s, a.z / s};
}
template <class T>
CPU_GPU inline Vec3<T>& operator+=(Vec3<T>& a, const Vec3<T>& b) {
    return a = a + b;
}
template <class T>
CPU_GPU inline Vec3<T>& operator-=(Vec3<T>& a, const Vec3<T>& b) {
    return a = a - b;
}
template <class T>
CPU_GPU inline Vec3<T>& operator*=(Vec3<T>& a, std::type_identity_t<T> s) {
    return a = s * a;
}
template <class T>
CPU_GPU inline T dot(const Vec3<T>& a, const Vec3<T>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
CPU_GPU inline T sum(const Vec3<T>& a) {
    return a.x + a.y + a.z;
}
template <class T>
CPU_GPU inline Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
CPU_GPU inline T length_squared(const Vec3<T>& a) {
    return dot(a, a);
}
template <class T>
CPU_GPU inline T length(const Vec3<T>& a) {
    return sqrt(dot(a, a));
}
template <class T>
CPU_GPU inline Vec3<T> normalized(const Vec3<T>& a) {
    return a / length(a);
}
template <class T>
CPU_GPU inline Vec3<T> min(const Vec3<T>& a, const Vec3<T>& b) {
    return {min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)};
}
template <class T>
CPU_GPU inline Vec3<T> max(const Vec3<T>& a, const Vec3<T>& b) {
    return {max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)};
}
template <class T>
CPU_GPU inline Vec3<T> log(const Vec3<T>& a) {
    return {log(a.x), log(a.y), log(a.z)};
}
template <class T>
CPU_GPU inline Vec3<T> exp(const Vec3<T>& a) {
    return {exp(a.x), exp(a.y), exp(a.z)};
}
template <class C, class T>
CPU_GPU inline Vec3<T> select(const C& c, const Vec3<T>& a, const Vec3<T>& b) {
    return {select(c, a.x, b.x), select(c, a.y, b.y), select(c, a.z, b.z)};
}

}  // namespace knead
