// The neo-Hookean law of dense foams [Yue 2015, Eq. 1-2], volume and shape apart:
// W = kappa/2 ((J^2 - 1)/2 - ln J) + mu/2 (tr b - 3), b the unimodular left Cauchy-Green tensor.
#pragma once

#include "knead/materials/elasticity/stress_differential.h"
#include "knead/materials/material.h"
#include "knead/math/mat.h"

namespace knead {

template <class Real>
struct NeoHookean {
    Real kappa, mu;  // bulk and shear modulus [Pa]

    static constexpr ElasticLaw law = ElasticLaw::neo_hookean;
    static constexpr bool may_invert = false;  // stays what it is where J < 0
    static NeoHookean of(const Material& m) {
        return {static_cast<Real>(m.elastic.bulk_modulus),
                static_cast<Real>(m.elastic.shear_modulus)};
    }

    // By b and j = J - 1; the pressure keeps its digits near J = 1.
    template <class T>
    CPU_GPU T energy(const Sym3<T>& b, const T& j) const {
        return (T(0.5) * kappa) * (j * j * T(0.5) + j_minus_log(j)) +
               (T(0.5) * mu) * (trace(b) - T(3));
    }
    template <class T>
    CPU_GPU Sym3<T> kirchhoff(const Sym3<T>& b, const T& j) const {
        const T p = (T(0.5) * kappa) * j * (T(2) + j);
        return mu * deviator(b) + sym_diagonal(splat(p));
    }

    // By principal stretches s.
    template <class T>
    CPU_GPU T energy(const Vec3<T>& s) const {
        const T J = s.x * s.y * s.z;
        return energy(sym_diagonal(unimodular(s, J)), J - T(1));
    }
    template <class T>
    CPU_GPU Vec3<T> kirchhoff(const Vec3<T>& s) const {
        const T J = s.x * s.y * s.z;
        const Vec3<T> b = unimodular(s, J);
        const T p = (T(0.5) * kappa) * (J * J - T(1));
        return mu * (b - splat(sum(b) * T(1.0 / 3.0))) + splat(p);
    }
    template <class T>
    CPU_GPU Vec3<T> piola(const Vec3<T>& s) const {
        const Vec3<T> t = kirchhoff(s);
        return {t.x / s.x, t.y / s.y, t.z / s.z};
    }

    // With A = kappa/2 (J^2 - 1), B = mu J^-2/3 and I = |s|^2:  W_a = A / s_a + B (s_a - I / 3
    // s_a).
    template <class T>
    CPU_GPU Curvature<T> curvature(const Vec3<T>& s) const {
        const T J = s.x * s.y * s.z, c = cbrt(J), third = T(1.0 / 3.0);
        const T A = (T(0.5) * kappa) * (J * J - T(1)), B = T(mu) / (c * c);
        const T mean = third * dot(s, s), swell = kappa * J * J;
        const Vec3<T> inv{T(1) / s.x, T(1) / s.y, T(1) / s.z};
        const auto along = [&](int a) {
            const T q = inv[a] * inv[a];
            return (swell - A) * q + B * (T(5) * third * mean * q - third);
        };
        const auto across = [&](int a, int b) {
            const T q = inv[a] * inv[b];
            return q * (swell + T(2) * third * B * (mean - s[a] * s[a] - s[b] * s[b]));
        };
        const Vec3<T> pairs{inv.y * inv.z, inv.x * inv.z, inv.x * inv.y};
        const Vec3<T> both = (A - B * mean) * pairs;
        return {{along(0), along(1), along(2), across(0, 1), across(0, 2), across(1, 2)},
                splat(B) - both,
                splat(B) + both};
    }

    CPU_GPU Real stiffness() const { return max(Real(3) * kappa, Real(2) * mu); }

private:
    template <class T>
    CPU_GPU static Vec3<T> unimodular(const Vec3<T>& s, const T& J) {
        const T c = cbrt(J);
        return (T(1) / (c * c)) * (s * s);
    }
    // j - ln(1 + j); by its series where the difference would cancel.
    template <class T>
    CPU_GPU static T j_minus_log(const T& j) {
        T series = T(0);
        for (int n = 12; n >= 2; --n) series = T(1) / T(n) - j * series;
        return select(abs(j) < T(0.05), j * j * series, j - log(T(1) + j));
    }
};

}  // namespace knead
