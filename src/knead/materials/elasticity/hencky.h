// Hencky elasticity, quadratic in the logarithms e of the principal stretches:
// W = mu sum e^2 + lambda/2 (sum e)^2.
#pragma once

#include "knead/materials/material.h"
#include "knead/math/mat.h"

namespace knead {

template <class Real>
struct Hencky {
    Real mu, lambda;  // Lame [Pa]

    static constexpr ElasticLaw law = ElasticLaw::hencky;
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

    CPU_GPU Real stiffness() const { return max(Real(3) * lambda + Real(2) * mu, Real(2) * mu); }
};

}  // namespace knead
