// The cubic B-spline of a distance in cells, and its product over the three axes.
#pragma once

#include "knead/math/vec.h"

namespace knead {

template <class T>
CPU_GPU inline T cubic_weight(const T& distance) {
    const T u = abs(distance), v = max(T(2) - u, T(0));
    return u < T(1) ? (T(0.5) * u - T(1)) * u * u + T(2.0 / 3.0) : v * v * v * T(1.0 / 6.0);
}
template <class T>
CPU_GPU inline T cubic_weight(const Vec3<T>& d) {
    return cubic_weight(d.x) * cubic_weight(d.y) * cubic_weight(d.z);
}

}  // namespace knead
