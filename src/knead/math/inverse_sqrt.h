// 1 / sqrt(a) for a > 0, and max(a, 0), in the fewest instructions: packs of float start from the
// machine's guess of twelve digits in base two and take a step of Newton's, which leaves an error
// of 3e-7.
#pragma once

#include "knead/math/wide.h"

namespace knead {

template <class T>
ALWAYS_INLINE T inverse_sqrt(const T& a) {
    return T(1) / sqrt(a);
}
template <class T>
ALWAYS_INLINE T positive_part(const T& a) {
    return max(a, T(0));
}

#if defined(__AVX__)
ALWAYS_INLINE Wide<float, 8> inverse_sqrt(const Wide<float, 8>& a) {
    using P = Wide<float, 8>;
    const P guess = static_cast<P::Native>(_mm256_rsqrt_ps(static_cast<__m256>(a.v)));
    const P half = P(0.5f) * guess;
    return guess + half * (P(1.0f) - a * guess * guess);
}
ALWAYS_INLINE Wide<float, 8> positive_part(const Wide<float, 8>& a) {
    using Native = Wide<float, 8>::Native;
    return static_cast<Native>(_mm256_max_ps(static_cast<__m256>(a.v), _mm256_setzero_ps()));
}
#endif

}  // namespace knead
