// 1 / sqrt(a) for a normal a > 0, something finite for 0; and max(a, 0), in few instructions. Packs
// of float start from a guess y made of the number's own bits, which is the same on every
// processor, and multiply it by a polynomial for 1 / sqrt(1 - e), e = 1 - a y^2 being at most
// 0.0682. That and rounding leave an error of 1e-7.
#pragma once

#include "knead/math/wide.h"

namespace knead {

template <class T>
ALWAYS_INLINE T inverse_sqrt(const T& a) {
    return T(1) / sqrt(a + T(smallest_normal<T>));
}
template <class T>
ALWAYS_INLINE T positive_part(const T& a) {
    return max(a, T(0));
}

#if defined(__AVX2__)
ALWAYS_INLINE Wide<float, 8> inverse_sqrt(const Wide<float, 8>& a) {
    using P = Wide<float, 8>;
    const P y = wide_detail::from_bits<8, float>(0x5f374800u - (wide_detail::bits_of(a) >> 1));
    const P e = P(1.0f) - a * (y * y);
    const P low = P(0.49999833f) + P(0.37499845f) * e, high = P(0.31394094f) + P(0.27475849f) * e;
    return y + (y * e) * (low + (e * e) * high);
}
ALWAYS_INLINE Wide<float, 8> positive_part(const Wide<float, 8>& a) {
    using Native = Wide<float, 8>::Native;
    return static_cast<Native>(_mm256_max_ps(static_cast<__m256>(a.v), _mm256_setzero_ps()));
}
#endif

}  // namespace knead
