// Sand: Hencky elasticity under a Drucker-Prager cone.
#pragma once

#include "knead/materials/elasticity/hencky.h"
#include "knead/materials/flow/drucker_prager.h"
#include "knead/materials/laws/principal_solid.h"

namespace knead {

template <class Real>
struct Sand : PrincipalSolid<Real, Hencky<Real>> {
    using PrincipalSolid<Real, Hencky<Real>>::elastic;
    DruckerPrager<Real> flow;
    static constexpr unsigned columns = uses_F | uses_hardening | uses_volume_correction;

    static bool fits(const Material& m, const Tearing&) {
        return is_made_of<Hencky<Real>, DruckerPrager<Real>>(m);
    }
    static Sand of(const Material& m, const Tearing&) {
        return {{Hencky<Real>::of(m)}, DruckerPrager<Real>::of(m)};
    }

    template <class T>
    CPU_GPU Sym3<T> advance(MaterialState<T>& state, const Mat3<T>& dt_L, Real) const {
        state.F = state.F + dt_L * state.F;
        const Svd3<T> d = svd(state.F);
        const Vec3<T> stretch = Hencky<Real>::safe_stretch(d.sigma), trial = log(stretch);
        const auto lifted =
            stretch.x != d.sigma.x || stretch.y != d.sigma.y || stretch.z != d.sigma.z;

        const auto after = flow.apply(trial, state.hardening, state.volume_correction);
        const auto changed = lifted || after.flowed;
        if (any(changed)) {
            state.F = select(changed, d.U * diagonal(exp(after.strain)) * transpose(d.V), state.F);
            state.hardening = state.hardening + after.hardening;
            state.volume_correction = state.volume_correction + (sum(trial) - sum(after.strain));
        }
        return congruence(d.U, elastic.kirchhoff_of_log(after.strain));
    }
};

}  // namespace knead
