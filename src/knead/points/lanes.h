// A vector and a matrix in the form that loops over links like best: the three numbers of a vector
// side by side in one register, the fourth lane unused.
#pragma once

#include "knead/math/mat.h"
#include "knead/math/wide.h"

namespace knead {

template <class Real>
using Lanes = Wide<Real, 4>;

template <class Real>
inline Lanes<Real> to_lanes(const Vec3<Real>& a) {
    return typename Lanes<Real>::Native{a.x, a.y, a.z, Real(0)};
}
template <class Real>
inline Vec3<Real> to_vec(const Lanes<Real>& a) {
    return {a[0], a[1], a[2]};
}
// To Real, rounding.
template <class Real>
inline Lanes<Real> narrow(const Lanes<double>& a) {
    return __builtin_convertvector(a.v, typename Lanes<Real>::Native);
}
// In double, for sums over many.
template <class Real>
inline double dot(const Lanes<Real>& a, const Lanes<Real>& b) {
    const Lanes<Real> p = a * b;
    return static_cast<double>(p[0] + p[1] + p[2]);
}

template <class Real>
inline double inner(const Lanes<Real>& a, const Lanes<Real>& b) {
    return dot(a, b);
}

// A matrix by columns.
template <class Real>
struct LaneColumns {
    Lanes<Real> c[3];

    static LaneColumns from(const Mat3<Real>& m) {
        return {{to_lanes(m.column(0)), to_lanes(m.column(1)), to_lanes(m.column(2))}};
    }
    Lanes<Real> operator*(const Vec3<Real>& a) const {
        return Lanes<Real>(a.x) * c[0] + Lanes<Real>(a.y) * c[1] + Lanes<Real>(a.z) * c[2];
    }
};

}  // namespace knead
