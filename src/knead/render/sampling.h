// Where rays go: numbers in the unit square that fill it evenly, a pure function of pixel, purpose
// and sample, and the directions made from them.
#pragma once

#include <cmath>
#include <cstdint>

#include "knead/base/random.h"
#include "knead/math/vec.h"

namespace knead::render {

struct Square {
    float u, v;
};

// One pixel's samples. Each purpose has its own sequence: multiples of two irrational numbers,
// shifted by a random offset that pixel and purpose fix.
struct PixelSamples {
    std::uint64_t seed;
    std::uint64_t pixel;
    std::uint64_t sample;

    Square at(std::uint64_t purpose) const {
        constexpr double a = 0.7548776662466927, b = 0.5698402909980532;
        const auto n = static_cast<double>(sample);
        return {wrap(random_unit(seed, pixel, purpose, 0) + a * n),
                wrap(random_unit(seed, pixel, purpose, 1) + b * n)};
    }
    // Without a sequence, for what depends on another draw of the same sample.
    Square loose(std::uint64_t purpose) const {
        return {wrap(random_unit(seed, pixel, purpose, 2 * sample + 2)),
                wrap(random_unit(seed, pixel, purpose, 2 * sample + 3))};
    }

private:
    static float wrap(double a) {
        const auto f = static_cast<float>(a - std::floor(a));
        return f < 1 ? f : 0;
    }
};

// Two unit vectors that complete n to a right-handed frame. [Duff 2017]
inline void complete_frame(const Vec3f& n, Vec3f& s, Vec3f& t) {
    const float sign = std::copysign(1.0f, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
    s = {1 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    t = {b, sign + n.y * n.y * a, -n.y};
}

// About n with density cos / pi.
inline Vec3f cosine_direction(const Vec3f& n, Square q) {
    const float r = std::sqrt(q.u), angle = 6.2831853f * q.v;
    Vec3f s, t;
    complete_frame(n, s, t);
    return r * std::cos(angle) * s + r * std::sin(angle) * t + std::sqrt(1 - q.u) * n;
}

// Even within a cone about n.
inline Vec3f cone_direction(const Vec3f& n, float cos_limit, Square q) {
    const float c = 1 - q.u * (1 - cos_limit), r = std::sqrt(max(0.0f, 1 - c * c));
    const float angle = 6.2831853f * q.v;
    Vec3f s, t;
    complete_frame(n, s, t);
    return r * std::cos(angle) * s + r * std::sin(angle) * t + c * n;
}

}  // namespace knead::render
