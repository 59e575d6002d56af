// Corotated linear elasticity: W = mu sum (s - 1)^2 + lambda/2 (sum (s - 1))^2, the linear law in
// the frame of the polar rotation.
#pragma once

#include "knead/materials/elasticity/symmetric_product.h"
#include "knead/materials/material.h"

namespace knead {

template <class Real>
struct CorotatedLinear {
    Real mu, lambda;  // Lame [Pa]

    static constexpr ElasticLaw law = ElasticLaw::corotated_linear;
    static CorotatedLinear of(const Material& m) {
        return {static_cast<Real>(m.elastic.shear_modulus), static_cast<Real>(lame_lambda(m))};
    }

    // By principal stretches s.
    template <class T>
    CPU_GPU T energy(const Vec3<T>& s) const {
        const Vec3<T> e = s - splat(T(1));
        const T t = sum(e);
        return mu * dot(e, e) + (T(0.5) * lambda) * t * t;
    }
    template <class T>
    CPU_GPU Vec3<T> piola(const Vec3<T>& s) const {
        const Vec3<T> e = s - splat(T(1));
        return T(2) * mu * e + splat(lambda * sum(e));
    }
    template <class T>
    CPU_GPU Vec3<T> kirchhoff(const Vec3<T>& s) const {
        return piola(s) * s;
    }

    // By F and its polar rotation R: P = 2 mu (F - R) + lambda tr(R^T F - I) R.
    template <class T>
    CPU_GPU T energy(const Mat3<T>& F, const Mat3<T>& R) const {
        const T t = stretch_trace(F, R);
        return mu * norm_squared(F - R) + (T(0.5) * lambda) * t * t;
    }
    template <class T>
    CPU_GPU Sym3<T> kirchhoff(const Mat3<T>& F, const Mat3<T>& R) const {
        const T p = lambda * stretch_trace(F, R);
        return symmetric_product(T(2) * mu * (F - R) + p * R, F);
    }

    CPU_GPU Real stiffness() const { return max(Real(3) * lambda + Real(2) * mu, Real(2) * mu); }

private:
    // tr(S - I) = R : (F - R).
    template <class T>
    CPU_GPU static T stretch_trace(const Mat3<T>& F, const Mat3<T>& R) {
        T t = T(0);
        for (int k = 0; k < 9; ++k) t = t + R[k] * (F[k] - R[k]);
        return t;
    }
};

}  // namespace knead
