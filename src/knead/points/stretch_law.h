// A material as the point methods use it: stress and energy of principal stretches, and how strain
// flows away.
#pragma once

#include <optional>
#include <variant>

#include "knead/materials/law.h"

namespace knead {

// Neo-Hookean stress that grows no further where matter is crushed below a fifth: a fit of
// neighbours may even turn out inside out, and the law would hold it there.
template <class Real>
struct CrushableNeoHookean {
    NeoHookean<Real> law;

    template <class T>
    T energy(const Vec3<T>& s) const {
        return law.energy(lifted(s));
    }
    template <class T>
    Vec3<T> piola(const Vec3<T>& s) const {
        return law.piola(lifted(s));
    }
    template <class T>
    Vec3<T> kirchhoff(const Vec3<T>& s) const {
        return law.kirchhoff(lifted(s));
    }
    template <class T>
    static Vec3<T> lifted(const Vec3<T>& s) {
        return max(s, splat(T(Real(0.2))));
    }
};

template <class Real>
struct StretchLaw {
    std::variant<CorotatedLinear<Real>, FixedCorotated<Real>, Hencky<Real>,
                 CrushableNeoHookean<Real>>
        elastic;
    std::optional<Creep<Real>> flow;
    // Where set, this rule tells the share of `flow`, by the deviatoric Kirchhoff stress.
    std::optional<HerschelBulkley<Real>> radial;
    Real shear_modulus = 0;  // [Pa]
    Real density = 0;        // [kg/m3]
    double wave_speed = 0;   // of pressure, at rest [m/s]

    // The norm of stress that flow goes by: Piola's for creep.
    template <class Elastic, class T>
    T flow_stress(const Elastic& law, const Vec3<T>& sigma) const {
        if (!radial) return length(law.piola(sigma));
        const Vec3<T> tau = law.kirchhoff(sigma);
        return length(tau - splat(sum(tau) * T(Real(1.0 / 3.0))));
    }
    // The share of shape that a radial rule lets flow in a step.
    template <class T>
    T radial_share(const T& norm, Real dt) const {
        const auto yields = norm > T(radial->yield_radius);
        const T left = radial->relaxed(norm, T(shear_modulus), dt);
        return select(yields, T(Real(1)) - left / select(yields, norm, T(Real(1))), T(Real(0)));
    }
};

// Throws InputError for materials that the method cannot take.
template <class Real>
StretchLaw<Real> make_stretch_law(const Material& material);

}  // namespace knead
