// All tolerances of the tests, by name. KNEAD_TOLERANCE_SCALE multiplies every one of them: with 0
// each test fails and shows its residual.
#pragma once

#include <cstdlib>
#include <limits>

namespace knead::tolerance {

inline double scale() {
    static const double s = [] {
        const char* text = std::getenv("KNEAD_TOLERANCE_SCALE");
        return text ? std::strtod(text, nullptr) : 1.0;
    }();
    return s;
}

// n times half the distance from 1 to the next number of type T.
template <class T>
double roundings(double n) {
    return scale() * n * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
}

// The table of the style guide.
template <class T>
double identity() {  // partition of unity, linear reproduction: relative
    return scale() * (sizeof(T) == 4 ? 1e-5 : 1e-12);
}
inline double derivative() { return scale() * 1e-6; }  // against a central difference, in double
inline double backends() { return scale() * 1e-5; }    // fast against plain, Cpu against Cuda

// Decompositions of 3x3 matrices: errors over |F|, or absolute for the rotations.
template <class T>
double reconstruction() {
    return roundings<T>(24);
}
template <class T>
double orthogonality() {
    return roundings<T>(16);
}
template <class T>
double singular_value() {
    return roundings<T>(16);
}

// Elementary functions of packs, in units in the last place.
template <class T>
double function_ulp() {
    return scale() * (sizeof(T) == 4 ? 2.5 : 4.0);
}

}  // namespace knead::tolerance
