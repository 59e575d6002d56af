// Weakly compressible fluid: pressure p = K/n (J^-n - 1), none in tension. With a whole exponent n
// everything is a polynomial in j = J - 1 and 1/J that keeps its digits near J = 1.
#pragma once

#include "knead/materials/material.h"
#include "knead/math/mat.h"

namespace knead {

template <class Real>
struct EquationOfState {
    Real bulk;     // [Pa]
    int exponent;  // n >= 2

    static constexpr ElasticLaw law = ElasticLaw::fluid;
    static EquationOfState of(const Material& m) {
        return {static_cast<Real>(m.elastic.bulk_modulus),
                static_cast<int>(m.elastic.fluid_exponent)};
    }

    // J^-n - 1 = -x / (1 + x) with x = J^n - 1 = j (1 + J + ... + J^(n-1)).
    template <class T>
    CPU_GPU T pressure(const T& j) const {
        const T x = j * powers(T(1) + j, exponent);
        const T p = -(bulk / Real(exponent)) * x / (T(1) + x);
        return select(j < T(0), p, T(0));
    }
    // W = K/n (j + (J^(1-n) - 1)/(n - 1)), written without a difference; a reference volume.
    template <class T>
    CPU_GPU T energy(const T& j) const {
        const T t = T(1) / (T(1) + j);
        T q = T(0);
        for (int k = 1; k < exponent - 1; ++k) q = q + powers(t, k);
        const T w = (bulk / Real(exponent)) * j * j * t * (T(1) + t * q / T(exponent - 1));
        return select(j < T(0), w, T(0));
    }
    CPU_GPU Real stiffness() const { return Real(3) * bulk; }

private:
    // 1 + a + ... + a^(n-1).
    template <class T>
    CPU_GPU static T powers(const T& a, int n) {
        T s = T(1);
        for (int k = 1; k < n; ++k) s = s * a + T(1);
        return s;
    }
};

}  // namespace knead
