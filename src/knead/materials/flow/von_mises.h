// Perfect plasticity: the norm s of the deviatoric Kirchhoff stress falls to the yield radius at
// once.
//
// A radial flow rule has `yield_radius` [Pa] and `relaxed(s, mu, dt)`, the norm at the end of a
// step that begins at s > yield_radius with shear modulus mu. Lanes with s <= yield_radius may hold
// anything finite. NoFlow marks a law that never flows.
#pragma once

#include "knead/materials/material.h"
#include "knead/math/mat.h"

namespace knead {

struct NoFlow {
    static constexpr FlowRule rule = FlowRule::none;
    static NoFlow of(const Material&) { return {}; }
};

template <class Real>
struct VonMises {
    Real yield_radius;  // sqrt(2/3) of the uniaxial yield stress [Pa]

    static constexpr FlowRule rule = FlowRule::von_mises;
    static VonMises of(const Material& m) { return {static_cast<Real>(knead::yield_radius(m))}; }

    template <class T>
    CPU_GPU T relaxed(const T&, const T&, Real) const {
        return T(yield_radius);
    }
};

}  // namespace knead
