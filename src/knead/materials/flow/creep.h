// Creep [Bargteil 2007]: a share of the strain flows away each step, set by how far the norm of the
// Piola stress is above yield. Acts on principal stretches and needs no particular elastic law.
#pragma once

#include "knead/materials/material.h"
#include "knead/math/mat.h"

namespace knead {

template <class Real>
struct Creep {
    Real yield_stress;  // of the stress norm [Pa]
    Real rate;          // nu: share of the excess per interval; [Pa] when divided
    Real interval;      // reference step of the rate [s]; 0: per step, whatever its length
    Real hardening;     // K [1/s]
    bool divided;       // divide the rate by the stress norm (cornstarch)
    Real volume_low, volume_high;  // |ln J| where volume begins to flow, and flows fully
    Real negligible;               // stress norms below this do not flow [Pa]

    static constexpr FlowRule rule = FlowRule::creep;
    static Creep of(const Material& m) {
        return {static_cast<Real>(m.flow.yield_stress),
                static_cast<Real>(m.flow.creep_rate),
                static_cast<Real>(m.flow.creep_interval),
                static_cast<Real>(m.flow.creep_hardening),
                m.flow.creep_divided,
                static_cast<Real>(m.flow.creep_volume_low),
                static_cast<Real>(m.flow.creep_volume_high),
                static_cast<Real>(1e-12 * m.elastic.shear_modulus)};
    }

    // Share of the strain that flows, in [0, 1]; `memory` is the accumulated stress-time.
    template <class T>
    CPU_GPU T share(const T& norm, const T& memory, Real dt) const {
        const T limit = max(yield_stress + hardening * memory, T(0));
        const T safe = max(norm, T(negligible));
        T g = rate_over(dt) * (norm - limit) / safe;
        if (divided) g = g / safe;
        return select(norm > T(negligible), clamp(g, T(0), T(1)), T(0));
    }

    // Logarithmic strain after a share g of it has flowed away; without volume while volume change
    // is small, with it beyond volume_high.
    template <class T>
    CPU_GPU Vec3<T> flowed(const Vec3<T>& strain, const T& g) const {
        const T volume = sum(strain);
        const T beta = clamp((abs(volume) - volume_low) / T(volume_high - volume_low), T(0), T(1));
        const Vec3<T> kept = splat((T(1) - beta) * T(1.0 / 3.0) * volume);
        return strain - g * (strain - kept);
    }

    // The rate of a step of length dt. Shares compound; the divided rate, a stress, is in
    // proportion.
    CPU_GPU Real rate_over(Real dt) const {
        if (interval == Real(0)) return rate;
        if (divided) return rate * (dt / interval);
        return Real(1) - pow(max(Real(1) - rate, Real(0)), dt / interval);
    }
};

}  // namespace knead
