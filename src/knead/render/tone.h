// From light to screen: a filmic curve (a rational fit to the ACES response) and its inverse.
#pragma once

#include <cmath>

namespace knead::render {

// f(x) = x (2.51 x + 0.03) / (x (2.43 x + 0.59) + 0.14)  [Narkowicz 2015]
inline float tone(float x) {
    if (!(x > 0)) return 0;
    const float y = x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f);
    return y < 1 ? y : 1;
}

// The light that tone() shows as y, for y in 0..0.98.
inline float untone(float y) {
    const float limited = y < 0 ? 0 : y > 0.98f ? 0.98f : y;
    const float a = 2.51f - 2.43f * limited, b = 0.03f - 0.59f * limited, c = -0.14f * limited;
    return (-b + std::sqrt(b * b - 4 * a * c)) / (2 * a);
}

}  // namespace knead::render
