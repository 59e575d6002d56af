// How far matrices are from what they should be, measured in long double.
#pragma once

#include <algorithm>
#include <cmath>

#include "knead/math/mat.h"

namespace knead {

using Exact = long double;

// The largest entry of a - b.
template <class A>
double distance(const Mat3<A>& a, const Mat3<A>& b) {
    A worst = 0;
    for (int k = 0; k < 9; ++k) worst = std::max(worst, std::fabs(a[k] - b[k]));
    return static_cast<double>(worst);
}

template <class T>
double largest(const Mat3<T>& F) {
    double m = 0;
    for (int k = 0; k < 9; ++k) m = std::max(m, static_cast<double>(std::fabs(F[k])));
    return m;
}

template <class T>
double rotation_error(const Mat3<T>& R) {
    const auto Q = static_cast<Mat3<Exact>>(R);
    return std::max(distance(transpose(Q) * Q, identity3<Exact>()),
                    static_cast<double>(std::fabs(determinant(Q) - 1)));
}

}  // namespace knead
