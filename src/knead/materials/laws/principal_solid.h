// What solids have in common whose elastic law works on principal stretches: stress and energy of
// the deformation gradient by its singular values.
#pragma once

#include "knead/materials/material_state.h"
#include "knead/math/svd.h"

namespace knead {

template <class Real, class Elastic>
struct PrincipalSolid {
    Elastic elastic;

    template <class T>
    CPU_GPU Sym3<T> stress(const MaterialState<T>& state) const {
        const Svd3<T> d = svd(state.F);
        return congruence(d.U, elastic.kirchhoff(d.sigma));
    }
    template <class T>
    CPU_GPU T energy(const MaterialState<T>& state) const {
        return elastic.energy(svd(state.F).sigma);
    }
    CPU_GPU Real stiffness() const { return elastic.stiffness(); }
    CPU_GPU Real viscosity() const { return Real(0); }
};

}  // namespace knead
