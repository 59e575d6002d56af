// Sand: a Drucker-Prager cone in logarithmic strain with hardening [Klar 2016] and volume
// correction [Tampubolon 2017]. The flow keeps volume; tension returns to the tip.
#pragma once

#include "knead/materials/material.h"
#include "knead/math/mat.h"

namespace knead {

template <class Real>
struct DruckerPrager {
    // Friction angle over the accumulated flow q: h0 + (h1 q - h3) exp(-h2 q), in radians.
    Real h0, h1, h2, h3;
    bool by_shear;  // the angle is that of shear
    Real slope;     // (3 lambda + 2 mu) / (2 mu), turns strain into the stress ratio

    static constexpr FlowRule rule = FlowRule::drucker_prager;
    static DruckerPrager of(const Material& m) {
        const auto radians = [](double degrees) {
            return static_cast<Real>(degrees * 3.14159265358979323846 / 180);
        };
        const Real G = static_cast<Real>(m.elastic.shear_modulus);
        return {radians(m.flow.friction_angle),
                radians(m.flow.hardening_gain),
                static_cast<Real>(m.flow.hardening_decay),
                radians(m.flow.hardening_start),
                m.flow.cone == Cone::shear,
                (3 * static_cast<Real>(lame_lambda(m)) + 2 * G) / (2 * G)};
    }

    template <class T>
    struct Returned {
        Vec3<T> strain;  // logarithmic, after the return
        T hardening;     // what q gains
        decltype(T() < T()) flowed;
    };

    // `strain` is ln of the stretches, `correction` the log volume gained in tension so far.
    // The tests see the corrected strain; an elastic state keeps its own.
    template <class T>
    CPU_GPU Returned<T> apply(const Vec3<T>& strain, const T& q, const T& correction) const {
        const T third = T(1.0 / 3.0);
        const Vec3<T> e = strain + splat(correction * third);
        const T volume = sum(e);
        const Vec3<T> shape = e - splat(volume * third);
        const T norm = length(shape);
        const T excess = norm + cone(q) * slope * volume;
        const auto tip = volume > T(0);
        const auto flowed = tip || excess > T(0);
        if (!any(flowed)) return {strain, T(0), flowed};

        const T keep = T(1) - excess / select(norm > T(0), norm, T(1));
        const Vec3<T> on_cone = splat(volume * third) + keep * shape;
        const Vec3<T> target = select(tip, splat(T(0)), on_cone);
        const T gain = select(tip, length(strain), excess);
        return {select(flowed, target, strain), select(flowed, gain, T(0)), flowed};
    }

    // alpha, so that |dev tau| = 3 alpha p: sqrt(2/3) 2 sin(phi) / (3 - sin(phi)) by the angle of
    // triaxial compression, sqrt(2)/3 tan(phi) by that of shear, where |dev tau| is sqrt(2) times
    // the shear stress.
    template <class T>
    CPU_GPU T cone(const T& q) const {
        T phi = T(h0);
        if (h1 != Real(0) || h3 != Real(0)) phi = h0 + (h1 * q - h3) * exp(-h2 * q);
        const Real most = by_shear ? Real(1.0471975511965976) : Real(1.5707963267948966);
        const T s = sine(clamp(phi, T(0), T(most)));
        if (by_shear) return T(0.47140452079103168) * s / sqrt(T(1) - s * s);
        return T(1.6329931618554521) * s / (T(3) - s);
    }

private:
    // sin by its series, to 4e-14 on [0, pi/2].
    template <class T>
    CPU_GPU static T sine(const T& a) {
        const T square = a * a;
        T series = T(1);
        for (int n = 17; n >= 3; n -= 2)
            series = T(1) - square * series * T(Real(1) / Real(n * (n - 1)));
        return a * series;
    }
};

}  // namespace knead
