// Hencky elasticity, quadratic in the logarithms e of the principal stretches:
// W = mu sum e^2 + lambda/2 (sum e)^2.
#pragma once

#include "knead/materials/elasticity/stress_differential.h"
#include "knead/materials/material.h"
#include "knead/math/mat.h"

namespace knead {

template <class Real>
struct Hencky {
    Real mu, lambda;  // Lame [Pa]

    static constexpr ElasticLaw law = ElasticLaw::hencky;
    static constexpr bool may_invert = false;  // stays what it is where J < 0
    static Hencky of(const Material& m) {
        return {static_cast<Real>(m.elastic.shear_modulus), static_cast<Real>(lame_lambda(m))};
    }

    // Stretches below this count as this, so that crushed and inverted states keep finite
    // logarithms.
    static constexpr Real smallest_stretch = Real(1e-3);

    template <class T>
    CPU_GPU static Vec3<T> safe_stretch(const Vec3<T>& s) {
        return max(s, splat(T(smallest_stretch)));
    }

    // By logarithmic strain e.
    template <class T>
    CPU_GPU T energy_of_log(const Vec3<T>& e) const {
        const T t = sum(e);
        return mu * dot(e, e) + (T(0.5) * lambda) * t * t;
    }
    template <class T>
    CPU_GPU Vec3<T> kirchhoff_of_log(const Vec3<T>& e) const {
        return T(2) * mu * e + splat(lambda * sum(e));
    }

    // By principal stretches s.
    template <class T>
    CPU_GPU T energy(const Vec3<T>& s) const {
        return energy_of_log(log(safe_stretch(s)));
    }
    template <class T>
    CPU_GPU Vec3<T> kirchhoff(const Vec3<T>& s) const {
        return kirchhoff_of_log(log(safe_stretch(s)));
    }
    template <class T>
    CPU_GPU Vec3<T> piola(const Vec3<T>& s) const {
        const Vec3<T> c = safe_stretch(s), t = kirchhoff_of_log(log(c));
        return {t.x / c.x, t.y / c.y, t.z / c.z};
    }

    template <class T>
    CPU_GPU Curvature<T> curvature(const Vec3<T>& s) const {
        const Vec3<T> c = safe_stretch(s), e = log(c), t = kirchhoff_of_log(e);
        const Vec3<T> inv{T(1) / c.x, T(1) / c.y, T(1) / c.z}, P = t * inv;
        const T m = T(2) * mu, volume = lambda * sum(e);
        const auto shear = [&](int a, int b) {
            return (inv[a] * inv[b]) *
                   (m * (log_slope(c[a], c[b]) - T(0.5) * (e[a] + e[b])) - volume);
        };
        const auto spin = [&](int a, int b) { return (P[a] + P[b]) / (c[a] + c[b]); };
        const auto along = [&](int a) { return (m + lambda - t[a]) * inv[a] * inv[a]; };
        return {{along(0), along(1), along(2), lambda * inv.x * inv.y, lambda * inv.x * inv.z,
                 lambda * inv.y * inv.z},
                {shear(1, 2), shear(0, 2), shear(0, 1)},
                {spin(1, 2), spin(0, 2), spin(0, 1)}};
    }

    CPU_GPU Real stiffness() const { return max(Real(3) * lambda + Real(2) * mu, Real(2) * mu); }

private:
    // (ln a - ln b) / (a - b) times (a + b) / 2: atanh(x) / x with x = (a - b) / (a + b).
    template <class T>
    CPU_GPU static T log_slope(const T& a, const T& b) {
        const T x = (a - b) / (a + b), z = x * x;
        const auto near = z < T(Real(0.01));
        T series = T(0);
        for (int n = 17; n >= 1; n -= 2) series = T(1) / T(n) + z * series;
        const T y = select(near, T(Real(0.5)), x);
        return select(near, series, T(0.5) * log((T(1) + y) / (T(1) - y)) / y);
    }
};

}  // namespace knead
