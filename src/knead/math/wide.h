// Wide<S, N>: N numbers of type S that move together, one SIMD register or a few. Built on the
// compiler's vector types, so the same text becomes AVX2, AVX-512 or NEON as the target allows.
// Host only: device code uses plain scalars.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "knead/math/scalar.h"

namespace knead {

// A truth value a lane: all bits set or none.
template <class S, int N>
struct WideMask {
    using Lane = std::conditional_t<sizeof(S) == 4, std::int32_t, std::int64_t>;
    typedef Lane Native __attribute__((vector_size(sizeof(Lane) * N)));
    Native v;

    friend WideMask operator&(WideMask a, WideMask b) { return {a.v & b.v}; }
    friend WideMask operator|(WideMask a, WideMask b) { return {a.v | b.v}; }
    friend WideMask operator&&(WideMask a, WideMask b) { return {a.v & b.v}; }
    friend WideMask operator||(WideMask a, WideMask b) { return {a.v | b.v}; }
    friend WideMask operator!(WideMask a) { return {~a.v}; }
    bool operator[](int i) const { return v[i] != 0; }
};

// One bit a lane where the machine can, else any bits that are zero together.
template <class S, int N>
inline std::int64_t lane_bits(WideMask<S, N> m) {
#if defined(__AVX__)
    if constexpr (sizeof(m.v) == 32 && sizeof(S) == 4) {
        return _mm256_movemask_ps(reinterpret_cast<__m256>(m.v));
    } else if constexpr (sizeof(m.v) == 32 && sizeof(S) == 8) {
        return _mm256_movemask_pd(reinterpret_cast<__m256d>(m.v));
    }
#endif
    std::int64_t bits = 0;
    for (int i = 0; i < N; ++i) bits |= m.v[i];
    return bits;
}
template <class S, int N>
inline bool any(WideMask<S, N> m) {
    return lane_bits(m) != 0;
}
template <class S, int N>
inline bool all(WideMask<S, N> m) {
    return !any(!m);
}

template <class S, int N>
struct Wide {
    typedef S Native __attribute__((vector_size(sizeof(S) * N)));
    using Mask = WideMask<S, N>;
    Native v;

    Wide() = default;
    Wide(Native native) : v(native) {}
    // Every lane the same. Implicit, so that formulas mix packs and plain numbers.
    template <class P>
    requires std::is_arithmetic_v<P> Wide(P a) : v(static_cast<S>(a) - Native{}) {}

    static Wide load(const S* p) {
        Wide r;
        std::memcpy(&r.v, p, sizeof(r.v));
        return r;
    }
    void store(S* p) const { std::memcpy(p, &v, sizeof(v)); }
    // The first n lanes of memory, the rest filled with `fill`.
    static Wide load_part(const S* p, int n, S fill) {
        if (n >= N) return load(p);
        Wide r(fill);
        for (int i = 0; i < n; ++i) r.v[i] = p[i];
        return r;
    }
    void store_part(S* p, int n) const {
        if (n >= N) return store(p);
        for (int i = 0; i < n; ++i) p[i] = v[i];
    }
    S operator[](int i) const { return v[i]; }
    void set(int i, S a) { v[i] = a; }

    friend Wide operator+(Wide a, Wide b) { return a.v + b.v; }
    friend Wide operator-(Wide a, Wide b) { return a.v - b.v; }
    friend Wide operator*(Wide a, Wide b) { return a.v * b.v; }
    friend Wide operator/(Wide a, Wide b) { return a.v / b.v; }
    friend Wide operator-(Wide a) { return -a.v; }
    Wide& operator+=(Wide b) { return *this = *this + b; }
    Wide& operator-=(Wide b) { return *this = *this - b; }
    Wide& operator*=(Wide b) { return *this = *this * b; }
    Wide& operator/=(Wide b) { return *this = *this / b; }
    friend Mask operator<(Wide a, Wide b) { return {a.v < b.v}; }
    friend Mask operator<=(Wide a, Wide b) { return {a.v <= b.v}; }
    friend Mask operator>(Wide a, Wide b) { return {a.v > b.v}; }
    friend Mask operator>=(Wide a, Wide b) { return {a.v >= b.v}; }
    friend Mask operator==(Wide a, Wide b) { return {a.v == b.v}; }
    friend Mask operator!=(Wide a, Wide b) { return {a.v != b.v}; }
};

template <class S, int N>
struct ElementOf<Wide<S, N>> {
    using type = S;
};

// How many lanes laws run on: one 256-bit register of S.
template <class S>
inline constexpr int pack_lanes = static_cast<int>(32 / sizeof(S));
template <class S>
using Pack = Wide<S, pack_lanes<S>>;

template <class S, int N>
inline Wide<S, N> select(WideMask<S, N> c, Wide<S, N> a, std::type_identity_t<Wide<S, N>> b) {
    return c.v ? a.v : b.v;
}
template <class S, int N>
inline Wide<S, N> min(Wide<S, N> a, std::type_identity_t<Wide<S, N>> b) {
    return b.v < a.v ? b.v : a.v;
}
template <class S, int N>
inline Wide<S, N> max(Wide<S, N> a, std::type_identity_t<Wide<S, N>> b) {
    return a.v < b.v ? b.v : a.v;
}

namespace wide_detail {
template <class S, int N>
using Bits = typename WideMask<S, N>::Native;
template <class S, int N>
inline constexpr auto sign_bit = static_cast<typename WideMask<S, N>::Lane>(
    sizeof(S) == 4 ? std::uint64_t{0x80000000u} : 0x8000000000000000ull);
template <class S, int N>
inline constexpr auto exponent_bits = static_cast<typename WideMask<S, N>::Lane>(
    sizeof(S) == 4 ? std::uint64_t{0x7f800000u} : 0x7ff0000000000000ull);
template <class To, class From>
inline To bit_cast(const From& a) {
    static_assert(sizeof(To) == sizeof(From));
    To r;
    std::memcpy(&r, &a, sizeof(r));
    return r;
}
}  // namespace wide_detail

template <class S, int N>
inline Wide<S, N> abs(Wide<S, N> a) {
    using B = wide_detail::Bits<S, N>;
    return wide_detail::bit_cast<typename Wide<S, N>::Native>(wide_detail::bit_cast<B>(a.v) &
                                                              ~wide_detail::sign_bit<S, N>);
}
template <class S, int N>
inline Wide<S, N> copysign(Wide<S, N> magnitude, std::type_identity_t<Wide<S, N>> sign) {
    using B = wide_detail::Bits<S, N>;
    constexpr auto bit = wide_detail::sign_bit<S, N>;
    return wide_detail::bit_cast<typename Wide<S, N>::Native>(
        (wide_detail::bit_cast<B>(magnitude.v) & ~bit) | (wide_detail::bit_cast<B>(sign.v) & bit));
}
template <class S, int N>
inline Wide<S, N> power_of_two_below(Wide<S, N> a) {
    using B = wide_detail::Bits<S, N>;
    constexpr auto mask = wide_detail::exponent_bits<S, N>;
    return wide_detail::bit_cast<typename Wide<S, N>::Native>(wide_detail::bit_cast<B>(a.v) & mask);
}
// The loops below are over lanes; the compiler turns each into one instruction a register.
template <class S, int N>
inline Wide<S, N> sqrt(Wide<S, N> a) {
    Wide<S, N> r;
    for (int i = 0; i < N; ++i) r.v[i] = std::sqrt(a.v[i]);
    return r;
}
template <class S, int N>
inline Wide<S, N> floor(Wide<S, N> a) {
    Wide<S, N> r;
    for (int i = 0; i < N; ++i) r.v[i] = std::floor(a.v[i]);
    return r;
}
// a b + c, rounded once where the machine can.
template <class S, int N>
inline Wide<S, N> fma(Wide<S, N> a, std::type_identity_t<Wide<S, N>> b,
                      std::type_identity_t<Wide<S, N>> c) {
    for (int i = 0; i < N; ++i) a.v[i] = std::fma(a.v[i], b.v[i], c.v[i]);
    return a;
}
template <class S, int N>
inline auto is_finite(Wide<S, N> a) {
    return a - a == Wide<S, N>(S(0));
}

}  // namespace knead

#include "knead/math/wide_functions.h"
