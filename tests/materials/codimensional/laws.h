// Laws and states that the tests of sheets and fibres share.
#pragma once

#include <cmath>

#include "knead/materials/codimensional/fibre.h"
#include "knead/materials/codimensional/sheet.h"
#include "materials/support.h"

namespace knead::test {

inline double lame_mu(double E, double nu) { return E / (2 * (1 + nu)); }
inline double lame_lambda(double E, double nu) { return E * nu / ((1 + nu) * (1 - 2 * nu)); }

// Numbers of order one hundred, as in the paper's table, with every term at work.
template <class Real = double>
SheetLaw<Real> a_sheet(double angle = 20) {
    const double phi = angle * M_PI / 180;
    return {Real(lame_mu(400, 0.3)), Real(lame_lambda(400, 0.3)), Real(800), Real(50),
            Real(std::tan(phi))};
}
template <class Real = double>
FibreLaw<Real> a_fibre(double angle = 20) {
    const double phi = angle * M_PI / 180, s = std::sin(phi);
    return {Real(lame_mu(500, 0.3)),
            Real(lame_lambda(500, 0.3)),
            Real(2000),
            Real(500),
            Real(std::sqrt(2.0 / 3) * 2 * s / (3 - s)),
            Real(std::tan(phi))};
}

// A turned state with entries of R up to `size` from rest, never inverted.
inline Mat3d a_state(Random& random, double size) {
    Mat3d R = identity3<double>();
    for (const int k : {0, 1, 2, 4, 5, 8}) R[k] += random.uniform(-size, size);
    return random.rotation() * R;
}

template <class Law>
double energy_of(const Law& law, const Mat3d& d) {
    return law.energy(qr(d).R);
}
template <class Law>
Mat3d stress_of(const Law& law, const Mat3d& d) {
    return codimensional_stress(law, qr(d));
}

inline double norm(const Mat3d& a) { return std::sqrt(norm_squared(a)); }
inline double inner(const Mat3d& a, const Mat3d& b) { return trace(transpose(a) * b); }
// Some turn by `angle` of columns i and j of d: rest directions that matter cannot tell apart.
inline Mat3d columns_turned(const Mat3d& d, int i, int j, double angle) {
    Mat3d turn = identity3<double>();
    turn(i, i) = turn(j, j) = std::cos(angle);
    turn(i, j) = -std::sin(angle);
    turn(j, i) = std::sin(angle);
    return d * turn;
}

}  // namespace knead::test
