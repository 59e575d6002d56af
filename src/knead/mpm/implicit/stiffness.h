// Second derivatives of the energy of a particle by its nine strains: symmetric 9 x 9 matrices, a
// pack at a time, of which the upper triangle is kept row by row.
#pragma once

#include "knead/math/mat.h"
#include "knead/math/wide.h"

namespace knead {

inline constexpr int stiffness_numbers = 45;
constexpr int stiffness_index(int i, int j) { return 9 * i - i * (i - 1) / 2 + j - i; }  // i <= j

// Column k of the matrix: the change of stress with strain k.
template <class Real>
inline void store_stiffness(const Mat3<Pack<Real>>& column, int k, Real* out) {
    for (int i = 0; i <= k; ++i) column[i].store(out + stiffness_index(i, k) * pack_lanes<Real>);
}

template <class Real>
inline Mat3<Pack<Real>> multiply_stiffness(const Real* stiffness, const Mat3<Pack<Real>>& strain) {
    using P = Pack<Real>;
    Mat3<P> out;
    for (int i = 0; i < 9; ++i) out[i] = P(Real(0));
    for (int i = 0; i < 9; ++i) {
        const Real* row = stiffness + stiffness_index(i, i) * pack_lanes<Real>;
        P sum = P::load(row) * strain[i];
        for (int j = i + 1; j < 9; ++j) {
            const P h = P::load(row + (j - i) * pack_lanes<Real>);
            sum += h * strain[j];
            out[j] += h * strain[i];
        }
        out[i] += sum;
    }
    return out;
}

// The nearest matrix without negative eigenvalues, lane by lane.
template <class Real>
void make_positive(Real* stiffness);

}  // namespace knead
