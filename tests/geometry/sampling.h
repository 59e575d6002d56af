// Points to test shapes at: uniform in a box, keyed by index.
#pragma once

#include "knead/base/random.h"
#include "knead/geometry/box3.h"

namespace knead {

inline Vec3d random_point(std::uint64_t i, const Box3& box, std::uint64_t seed = 7) {
    const Vec3d u{random_unit(seed, i, 0), random_unit(seed, i, 1), random_unit(seed, i, 2)};
    return box.lo + u * box.size();
}

inline Vec3d random_direction(std::uint64_t i, std::uint64_t seed = 11) {
    for (std::uint64_t k = 0;; ++k) {
        const Vec3d d = random_point(8 * i + k, {{-1, -1, -1}, {1, 1, 1}}, seed);
        if (length(d) > 0.1 && length(d) < 1) return normalized(d);
    }
}

}  // namespace knead
