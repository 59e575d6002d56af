// exp, log, cbrt and pow for packs: range reduction, then minimax polynomials (fitted for knead by
// the Remez exchange). Largest errors measured in the tests: 1 ulp for exp, log and cbrt, 2 for pow
// with moderate results. Zeros, infinities, NaN and numbers below the normal range behave as in
// <cmath>, except that pow(a, b) is NaN for every a < 0.
// Included by wide.h, at its end.
#pragma once

#include <limits>

namespace knead {

namespace wide_detail {

// exp(r) = 1 + r + r^2 (e0 + e1 r + ...) for |r| <= ln(2) / 2
// log((1 + s) / (1 - s)) = 2 s + s^3 (l0 + l1 s^2 + ...) for (1 + s) / (1 - s) in [1/sqrt 2, sqrt
// 2] ln 2 = ln2_high + ln2_low, where products of ln2_high with exponents are exact.
template <class S>
struct Table;
template <>
struct Table<float> {
    using Bits = std::uint32_t;
    static constexpr int mantissa_bits = 23;
    static constexpr Bits bias = 127, bits_of_sqrt_half = 0x3f3504f3u;
    static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 1.4286068203e-06f;
    static constexpr float exp_least = -104, exp_most = 89;
    static constexpr float exp_least_normal = -87, exp_most_normal = 88;
    static constexpr float exp[] = {0.5f,
                                    1.6666665870e-01f,
                                    4.1666295093e-02f,
                                    8.3334969743e-03f,
                                    1.3944648609e-03f,
                                    1.9790371114e-04f};
    static constexpr float log[] = {6.6666665645e-01f, 4.0000335193e-01f, 2.8537308446e-01f,
                                    2.3582152829e-01f};
};
template <>
struct Table<double> {
    using Bits = std::uint64_t;
    static constexpr int mantissa_bits = 52;
    static constexpr Bits bias = 1023, bits_of_sqrt_half = 0x3fe6a09e667f3bcdull;
    static constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 1.9082149292705877e-10;
    static constexpr double exp_least = -746, exp_most = 710;
    static constexpr double exp_least_normal = -708, exp_most_normal = 709;
    static constexpr double exp[] = {0.5,
                                     1.6666666666666682395e-01,
                                     4.1666666666666095364e-02,
                                     8.3333333333170476337e-03,
                                     1.3888888889115639461e-03,
                                     1.9841269896349428520e-04,
                                     2.4801586926590040675e-05,
                                     2.7557234896027487637e-06,
                                     2.7557581908853088838e-07,
                                     2.5112024944012791271e-08,
                                     2.0826599434139113525e-09};
    static constexpr double log[] = {6.6666666666666662966e-01, 4.0000000000006241674e-01,
                                     2.8571428569087353733e-01, 2.2222222646573219773e-01,
                                     1.8181775683551523737e-01, 1.5387089961629160650e-01,
                                     1.3250136240093024487e-01, 1.3251163007934568805e-01};
};

template <class S, int N>
struct UnsignedBits {
    typedef typename Table<S>::Bits Native __attribute__((vector_size(sizeof(S) * N)));
};
template <class S, int N>
inline auto bits_of(Wide<S, N> a) {
    return bit_cast<typename UnsignedBits<S, N>::Native>(a.v);
}
template <int N, class S, class Bits>
inline Wide<S, N> from_bits(Bits bits) {
    return bit_cast<typename Wide<S, N>::Native>(bits);
}

template <class S, int N, int K>
inline Wide<S, N> polynomial(Wide<S, N> x, const S (&c)[K]) {
    Wide<S, N> sum(c[K - 1]);
    for (int k = K - 2; k >= 0; --k) sum = sum * x + Wide<S, N>(c[k]);
    return sum;
}

// 2^n for whole n whose power is a normal number: n + bias ends up in the lowest bits of a number
// as large as 1.5 * 2^mantissa_bits, and moves from there to the exponent.
template <class S, int N>
inline Wide<S, N> power_of_two(Wide<S, N> n) {
    using Constants = Table<S>;
    constexpr S shift = S(typename Constants::Bits{3} << (Constants::mantissa_bits - 1));
    return from_bits<N, S>(bits_of(n + Wide<S, N>(shift + S(Constants::bias)))
                           << Constants::mantissa_bits);
}

// exp(high + low), where low is a small correction.
template <class S, int N>
inline Wide<S, N> exp_of_sum(Wide<S, N> high, Wide<S, N> low) {
    using T = Wide<S, N>;
    using Constants = Table<S>;
    const T x = min(max(high, T(Constants::exp_least)), T(Constants::exp_most));
    const T n = floor(x * T(S(1.4426950408889634)) + T(S(0.5)));
    const T r = ((x - n * T(Constants::ln2_high)) - n * T(Constants::ln2_low)) + low;
    const T e = T(S(1)) + (r + r * r * polynomial(r, Constants::exp));
    // in two halves, so that results below the normal range come out rounded once
    const T half = floor(n * T(S(0.5)));
    return e * power_of_two(half) * power_of_two(n - half);
}

// a = 2^n (1 + f), 1 + f in [1/sqrt 2, sqrt 2), for positive normal a.
template <class S, int N>
inline void split_number(Wide<S, N> a, Wide<S, N>& n, Wide<S, N>& f) {
    using T = Wide<S, N>;
    using Constants = Table<S>;
    using Bits = typename Constants::Bits;
    constexpr int m = Constants::mantissa_bits;
    const auto bits = bits_of(a) - Constants::bits_of_sqrt_half + (Constants::bias << m);
    const T biased = from_bits<N, S>((bits >> m) | ((Constants::bias + m) << m));
    n = biased - T(S(Bits{1} << m) + S(Constants::bias));
    const auto mantissa = (bits & ((Bits{1} << m) - 1)) + Constants::bits_of_sqrt_half;
    f = from_bits<N, S>(mantissa) - T(S(1));
}

// log(a) = high + low for positive finite a.
template <class S, int N>
inline void log_as_sum(Wide<S, N> a, Wide<S, N>& high, Wide<S, N>& low) {
    using T = Wide<S, N>;
    using Constants = Table<S>;
    using Bits = typename Constants::Bits;
    constexpr int m = Constants::mantissa_bits;

    // numbers below the normal range are lifted first
    const auto small = a < T(std::numeric_limits<S>::min());
    T n, f;
    split_number(select(small, a * T(S(Bits{1} << (m + 1))), a), n, f);
    n -= select(small, T(S(m + 1)), T(S(0)));

    // log(1 + f) = f - s (f - s^2 L(s^2)), s = f / (2 + f); n ln2_high + f is summed without loss
    const T s = f / (T(S(2)) + f), z = s * s;
    const T rest = n * T(Constants::ln2_low) - s * (f - z * polynomial(z, Constants::log));
    const T whole = n * T(Constants::ln2_high);
    const T sum = whole + f;
    const T lost = f - (sum - whole);
    high = sum + (lost + rest);
    low = (lost + rest) - (high - sum);
}

}  // namespace wide_detail

template <class S, int N>
inline Wide<S, N> exp(Wide<S, N> a) {
    return wide_detail::exp_of_sum(a, Wide<S, N>(S(0)));
}

template <class S, int N>
inline Wide<S, N> log(Wide<S, N> a) {
    using T = Wide<S, N>;
    using Limits = std::numeric_limits<S>;
    T high, low;
    wide_detail::log_as_sum(a, high, low);
    const T finite = select(a < T(Limits::infinity()), high, a);
    const T positive = select(a == T(S(0)), T(-Limits::infinity()), finite);
    return select(a < T(S(0)), T(Limits::quiet_NaN()), positive);
}

// A Newton step sharpens exp(log(a) / 3).
template <class S, int N>
inline Wide<S, N> cbrt(Wide<S, N> a) {
    using T = Wide<S, N>;
    const T size = abs(a), third(S(1.0 / 3.0));
    const T guess = exp(log(size) * third);
    const T root = guess - (guess - size / (guess * guess)) * third;
    const auto ordinary = (size > T(S(0))) & (size < T(std::numeric_limits<S>::infinity()));
    return copysign(select(ordinary, root, size), a);
}

// exp(b log a), the product carried in two numbers.
template <class S, int N>
inline Wide<S, N> pow(Wide<S, N> a, std::type_identity_t<Wide<S, N>> b) {
    using T = Wide<S, N>;
    using Constants = wide_detail::Table<S>;
    T high, low;
    wide_detail::log_as_sum(a, high, low);
    const T y = b * high, y_low = fma(b, high, -y) + b * low;
    const auto inside = (y > T(Constants::exp_least)) & (y < T(Constants::exp_most));
    const T ordinary = wide_detail::exp_of_sum(y, select(inside, y_low, T(S(0))));
    const auto plain = (a > T(S(0))) & (a < T(std::numeric_limits<S>::infinity()));
    const T size = abs(a);
    const T edge = select(b > T(S(0)), size, T(S(1)) / size);
    const T other = select(a >= T(S(0)), edge, T(std::numeric_limits<S>::quiet_NaN()));
    const T limit = select(b == T(S(0)), T(S(1)), other);
    return select(plain, ordinary, limit);
}

// exp(b log a) for positive normal a, with errors in proportion to |b log a|, and brought to the
// normal range: half the work of pow.
template <class S, int N>
inline Wide<S, N> power_of_ordinary(Wide<S, N> a, std::type_identity_t<Wide<S, N>> b) {
    using T = Wide<S, N>;
    using Constants = wide_detail::Table<S>;
    T n, f;
    wide_detail::split_number(a, n, f);
    const T s = f / (T(S(2)) + f), z = s * s;
    const T log_a =
        n * T(Constants::ln2_high) +
        (f - s * (f - z * wide_detail::polynomial(z, Constants::log)) + n * T(Constants::ln2_low));
    const T y = min(max(b * log_a, T(Constants::exp_least_normal)), T(Constants::exp_most_normal));
    const T k = floor(y * T(S(1.4426950408889634)) + T(S(0.5)));
    const T r = (y - k * T(Constants::ln2_high)) - k * T(Constants::ln2_low);
    const T e = T(S(1)) + (r + r * r * wide_detail::polynomial(r, Constants::exp));
    return e * wide_detail::power_of_two(k);
}

}  // namespace knead
