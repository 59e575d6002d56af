// The scalar vocabulary that laws and decompositions are written in. Each word works for float and
// double here and for SIMD packs in wide.h, so a formula is written once.
//   select(c, a, b)   a where c holds, else b, without a branch
//   any(c), all(c)    of the lanes of a condition
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "knead/base/portable.h"

namespace knead {

template <class T>
concept PlainScalar = std::is_floating_point_v<T>;

// The plain number a scalar type is made of: float for float and for a pack of floats.
template <class T>
struct ElementOf {
    using type = T;
};
template <class T>
using Element = typename ElementOf<T>::type;

// Limits of the plain number behind T.
template <class T>
inline constexpr Element<T> smallest_normal = std::numeric_limits<Element<T>>::min();
template <class T>
inline constexpr Element<T> rounding_unit = std::numeric_limits<Element<T>>::epsilon() / 2;

template <PlainScalar T>
CPU_GPU inline T select(bool c, T a, std::type_identity_t<T> b) {
    return c ? a : b;
}
CPU_GPU inline bool any(bool c) { return c; }
CPU_GPU inline bool all(bool c) { return c; }

template <PlainScalar T>
CPU_GPU inline T min(T a, std::type_identity_t<T> b) {
    return b < a ? b : a;
}
template <PlainScalar T>
CPU_GPU inline T max(T a, std::type_identity_t<T> b) {
    return a < b ? b : a;
}
template <class T>
CPU_GPU inline T clamp(T a, std::type_identity_t<T> lo, std::type_identity_t<T> hi) {
    return min(max(a, lo), hi);
}
template <PlainScalar T>
CPU_GPU inline T abs(T a) {
    return std::fabs(a);
}
template <PlainScalar T>
CPU_GPU inline T sqrt(T a) {
    return std::sqrt(a);
}
template <PlainScalar T>
CPU_GPU inline T floor(T a) {
    return std::floor(a);
}
template <PlainScalar T>
CPU_GPU inline T copysign(T magnitude, std::type_identity_t<T> sign) {
    return std::copysign(magnitude, sign);
}
template <PlainScalar T>
CPU_GPU inline T exp(T a) {
    return std::exp(a);
}
template <PlainScalar T>
CPU_GPU inline T log(T a) {
    return std::log(a);
}
template <PlainScalar T>
CPU_GPU inline T cbrt(T a) {
    return std::cbrt(a);
}
template <PlainScalar T>
CPU_GPU inline T pow(T a, std::type_identity_t<T> b) {
    return std::pow(a, b);
}
// a^b for positive normal a; packs take a shorter way with less exact results.
template <PlainScalar T>
CPU_GPU inline T power_of_ordinary(T a, std::type_identity_t<T> b) {
    return exp(b * log(a));
}
// The largest power of two that is at most a; a is positive and normal.
CPU_GPU inline float power_of_two_below(float a) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) & 0x7f800000u);
}
CPU_GPU inline double power_of_two_below(double a) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) & 0x7ff0000000000000ull);
}
template <PlainScalar T>
CPU_GPU inline bool is_finite(T a) {
    return a - a == T(0);
}

}  // namespace knead
