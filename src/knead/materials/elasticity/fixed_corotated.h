// Fixed corotated elasticity [Stomakhin 2012]: W = mu |F - R|^2 + lambda/2 (J - 1)^2.
#pragma once

#include "knead/materials/elasticity/stress_differential.h"
#include "knead/materials/elasticity/symmetric_product.h"
#include "knead/materials/material.h"

namespace knead {

template <class Real>
struct FixedCorotated {
    Real mu, lambda;  // Lame [Pa]

    static constexpr ElasticLaw law = ElasticLaw::fixed_corotated;
    static constexpr bool may_invert = true;  // stays what it is where J < 0
    static FixedCorotated of(const Material& m) {
        return {static_cast<Real>(m.elastic.shear_modulus), static_cast<Real>(lame_lambda(m))};
    }

    // Where two stretches nearly cancel, as they can when inverted, the rotation is not defined.
    static constexpr Real smallest_stretch_sum = Real(1e-3);

    // By principal stretches s.
    template <class T>
    CPU_GPU T energy(const Vec3<T>& s) const {
        const Vec3<T> e = s - splat(T(1));
        const T j = s.x * s.y * s.z - T(1);
        return mu * dot(e, e) + (T(0.5) * lambda) * j * j;
    }
    template <class T>
    CPU_GPU Vec3<T> piola(const Vec3<T>& s) const {
        const T p = lambda * (s.x * s.y * s.z - T(1));
        const Vec3<T> cofactors{s.y * s.z, s.x * s.z, s.x * s.y};
        return T(2) * mu * (s - splat(T(1))) + p * cofactors;
    }
    template <class T>
    CPU_GPU Vec3<T> kirchhoff(const Vec3<T>& s) const {
        return piola(s) * s;
    }
    template <class T>
    CPU_GPU Curvature<T> curvature(const Vec3<T>& s) const {
        const Vec3<T> c{s.y * s.z, s.x * s.z, s.x * s.y}, p = lambda * (s.x * c.x - T(1)) * s;
        const T m = T(2) * mu;
        const auto spin = [&](const T& a, const T& b, const T& pressure) {
            return m - T(2) * m / max(a + b, T(smallest_stretch_sum)) + pressure;
        };
        return {{m + lambda * c.x * c.x, m + lambda * c.y * c.y, m + lambda * c.z * c.z,
                 lambda * c.x * c.y + p.z, lambda * c.x * c.z + p.y, lambda * c.y * c.z + p.x},
                splat(m) - p,
                {spin(s.y, s.z, p.x), spin(s.x, s.z, p.y), spin(s.x, s.y, p.z)}};
    }

    // By F and its polar rotation R, without principal stretches.
    template <class T>
    CPU_GPU T energy(const Mat3<T>& F, const Mat3<T>& R) const {
        const T j = determinant(F) - T(1);
        return mu * norm_squared(F - R) + (T(0.5) * lambda) * j * j;
    }
    // tau = 2 mu (F - R) F^T + lambda (J - 1) J I, its symmetric part.
    template <class T>
    CPU_GPU Sym3<T> kirchhoff(const Mat3<T>& F, const Mat3<T>& R) const {
        const T J = determinant(F), p = lambda * (J - T(1)) * J;
        const Sym3<T> t = symmetric_product(F - R, F);
        return T(2) * mu * t + sym_diagonal(splat(p));
    }

    CPU_GPU Real stiffness() const { return max(Real(3) * lambda + Real(2) * mu, Real(2) * mu); }
};

}  // namespace knead
