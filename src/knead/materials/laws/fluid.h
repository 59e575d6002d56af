// A weakly compressible fluid, remembered by its dilation alone, with Newtonian viscosity if
// wanted. The viscous stress needs the velocity gradient, so advance() returns it and stress() does
// not.
#pragma once

#include "knead/materials/elasticity/equation_of_state.h"
#include "knead/materials/flow/von_mises.h"
#include "knead/materials/material_state.h"

namespace knead {

template <class Real>
struct Fluid {
    EquationOfState<Real> elastic;
    Real shear_viscosity;  // [Pa s]
    static constexpr unsigned columns = uses_dilation;

    static bool fits(const Material& m, const Tearing&) {
        return is_made_of<EquationOfState<Real>, NoFlow>(m);
    }
    static Fluid of(const Material& m, const Tearing&) {
        return {EquationOfState<Real>::of(m), static_cast<Real>(m.elastic.fluid_viscosity)};
    }

    template <class T>
    CPU_GPU Sym3<T> advance(MaterialState<T>& state, const Mat3<T>& dt_L, Real dt) const {
        const T d = trace(dt_L);
        state.dilation = state.dilation + d + state.dilation * d;
        const Sym3<T> pressure = stress(state);
        if (shear_viscosity == Real(0) || dt == Real(0)) return pressure;
        // J mu (L + L^T)
        const T scale = (T(1) + state.dilation) * (shear_viscosity / dt);
        const T two = T(2);
        return pressure + scale * Sym3<T>{two * dt_L.xx,     two * dt_L.yy,     two * dt_L.zz,
                                          dt_L.xy + dt_L.yx, dt_L.xz + dt_L.zx, dt_L.yz + dt_L.zy};
    }
    template <class T>
    CPU_GPU Sym3<T> stress(const MaterialState<T>& state) const {
        const T p = elastic.pressure(state.dilation);
        return sym_diagonal(splat(-p * (T(1) + state.dilation)));
    }
    template <class T>
    CPU_GPU T energy(const MaterialState<T>& state) const {
        return elastic.energy(state.dilation);
    }
    CPU_GPU Real stiffness() const { return elastic.stiffness(); }
    CPU_GPU Real viscosity() const { return shear_viscosity; }
};

}  // namespace knead
