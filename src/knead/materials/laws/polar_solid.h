// An elastic solid that needs only the polar rotation of F: fixed corotated, corotated linear.
#pragma once

#include "knead/materials/flow/von_mises.h"
#include "knead/materials/material_state.h"
#include "knead/math/polar.h"

namespace knead {

template <class Real, class Elastic>
struct PolarSolid {
    Elastic elastic;
    static constexpr unsigned columns = uses_F;

    static bool fits(const Material& m, const Tearing&) { return is_made_of<Elastic, NoFlow>(m); }
    static PolarSolid of(const Material& m, const Tearing&) { return {Elastic::of(m)}; }

    template <class T>
    CPU_GPU Sym3<T> advance(MaterialState<T>& state, const Mat3<T>& dt_L, Real) const {
        state.F = state.F + dt_L * state.F;
        return stress(state);
    }
    template <class T>
    CPU_GPU Sym3<T> stress(const MaterialState<T>& state) const {
        return elastic.kirchhoff(state.F, polar_rotation(state.F));
    }
    template <class T>
    CPU_GPU T energy(const MaterialState<T>& state) const {
        return elastic.energy(state.F, polar_rotation(state.F));
    }
    CPU_GPU Real stiffness() const { return elastic.stiffness(); }
    CPU_GPU Real viscosity() const { return Real(0); }
};

}  // namespace knead
