// Radial kernels of the point methods: value(r, h) vanishes from r = h on and integrates to 1 over
// space [1/m^3]; gradient(r, h) is its derivative along r [1/m^4].
#pragma once

#include "knead/math/inverse_sqrt.h"

namespace knead {

// sin(x pi / 2) for x in [0, 1]: x times a minimax polynomial in x^2.
template <class T>
CPU_GPU inline T sine_of_quarters(const T& x) {
    const T z = x * x;
    T p;
    if constexpr (sizeof(Element<T>) == 4) {
        p = T(-3.4318696105e-06);
        p = p * z + T(1.6025479183e-04);
        p = p * z - T(4.6816578837e-03);
        p = p * z + T(7.9692603749e-02);
        p = p * z - T(6.4596409558e-01);
    } else {
        p = T(5.8730070365571039079e-12);
        p = p * z - T(6.6844180836219419265e-10);
        p = p * z + T(5.6921364484416125059e-08);
        p = p * z - T(3.5988430206394081789e-06);
        p = p * z + T(1.6044118471317229285e-04);
        p = p * z - T(4.6817541353042762403e-03);
        p = p * z + T(7.9692626246165645942e-02);
        p = p * z - T(6.4596409750624617097e-01);
    }
    return (p * z + T(1.5707963267948966)) * x;
}

// cos(q pi / 2) for z = q^2 in [0, 1], and 0 beyond: 1 - z times a minimax polynomial, so that
// digits last towards q = 1. No root is needed.
template <class T>
CPU_GPU inline T cosine_of_quarters(const T& z) {
    T p;
    if constexpr (sizeof(Element<T>) == 4) {
        p = T(2.3587984574e-05);
        p = p * z - T(8.9350992820e-04);
        p = p * z + T(1.9968590079e-02);
        p = p * z - T(2.3370050299e-01);
        p = p * z + T(0.99999999902);
    } else {
        p = T(-6.3046690052343881944e-11);
        p = p * z + T(6.3180669571243723969e-09);
        p = p * z - T(4.6476310813761200113e-07);
        p = p * z + T(2.4737274991230985468e-05);
        p = p * z - T(8.9452299812058639539e-04);
        p = p * z + T(1.9968957764833178106e-02);
        p = p * z - T(2.3370055013616763877e-01);
        p = p * z + T(0.99999999999999998243);
    }
    return positive_part(T(1) - z) * p;
}

// 315 / (64 pi h^9) (h^2 - r^2)^3  [Müller 2003; Gerszewski 2009, Eq. 7]
struct Poly6Kernel {
    template <class T>
    CPU_GPU static T value(const T& r, const T& h) {
        const T q = r / h, rest = max(T(1) - q * q, T(0));
        return T(1.5666814710608448) / (h * h * h) * (rest * rest * rest);
    }
    template <class T>
    CPU_GPU static T gradient(const T& r, const T& h) {
        const T q = r / h, rest = max(T(1) - q * q, T(0));
        return T(-9.400088826365069) / (h * h * h * h) * (q * rest * rest);
    }
};

// 2 h c / pi (cos((r + h) pi / (2 h)) + 1)  [Solenthaler 2007; Gerszewski 2009, Eq. 12]. Its slope
// is steepest at r = 0, which keeps points apart.
struct CosineKernel {
    // c h^4 = pi / (8 (pi / 3 - 8 / pi + 16 / pi^2))  [Gerszewski 2009, Eq. 13]
    static constexpr double slope = 3.222611689457318;
    static constexpr double two_over_pi = 0.6366197723675814;

    // cos((1 + q) pi / 2) + 1 = 2 sin^2((1 - q) pi / 4), which stays accurate towards q = 1
    template <class T>
    CPU_GPU static T value(const T& r, const T& h) {
        const T s = sine_of_quarters(T(0.5) * max(T(1) - r / h, T(0)));
        return T(2 * slope * two_over_pi) / (h * h * h) * (s * s);
    }
    // sin((1 + q) pi / 2) = cos(q pi / 2)
    template <class T>
    CPU_GPU static T gradient(const T& r, const T& h) {
        const T q = r / h;
        return T(-slope) / (h * h * h * h) * cosine_of_quarters(q * q);
    }
};

}  // namespace knead
