// 1 / sqrt(a) for a > 0 and normal, and max(a, 0), in few instructions. Packs of float start from a
// guess made of the number's own bits and take three steps of Newton's, which leave an error of
// 2e-7 and the same bytes on every processor; its own guess would not.
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

#if defined(__AVX2__)
ALWAYS_INLINE Wide<float, 8> inverse_sqrt(const Wide<float, 8>& a) {
    using P = Wide<float, 8>;
    P y = wide_detail::from_bits<8, float>(0x5f375a86u - (wide_detail::bits_of(a) >> 1));
    const P half = P(0.5f) * a;
    for (int step = 0; step < 3; ++step) y = y * (P(1.5f) - half * y * y);
    return y;
}
ALWAYS_INLINE Wide<float, 8> positive_part(const Wide<float, 8>& a) {
    using Native = Wide<float, 8>::Native;
    return static_cast<Native>(_mm256_max_ps(static_cast<__m256>(a.v), _mm256_setzero_ps()));
}
#endif

}  // namespace knead
