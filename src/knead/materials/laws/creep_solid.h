// A solid that creeps: any elastic law in principal stretches with the flow rule of creep.h.
#pragma once

#include "knead/materials/elasticity/hencky.h"
#include "knead/materials/flow/creep.h"
#include "knead/materials/laws/principal_solid.h"

namespace knead {

template <class Real, class Elastic>
struct CreepSolid : PrincipalSolid<Real, Elastic> {
    using PrincipalSolid<Real, Elastic>::elastic;
    Creep<Real> flow;
    static constexpr unsigned columns = uses_F | uses_hardening;

    static bool fits(const Material& m, const Tearing&) {
        return is_made_of<Elastic, Creep<Real>>(m);
    }
    static CreepSolid of(const Material& m, const Tearing&) {
        return {{Elastic::of(m)}, Creep<Real>::of(m)};
    }

    template <class T>
    CPU_GPU Sym3<T> advance(MaterialState<T>& state, const Mat3<T>& dt_L, Real dt) const {
        state.F = state.F + dt_L * state.F;
        Svd3<T> d = svd(state.F);
        Vec3<T> P = elastic.piola(d.sigma);

        // The unfactored state decides how much flows.
        const T norm = length(P), share = flow.share(norm, state.hardening, dt);
        const auto flows = share > T(0);
        if (any(flows)) {
            const Vec3<T> strain = log(Hencky<Real>::safe_stretch(d.sigma));
            d.sigma = select(flows, exp(flow.flowed(strain, share)), d.sigma);
            state.F = select(flows, d.U * diagonal(d.sigma) * transpose(d.V), state.F);
            state.hardening = select(flows, state.hardening + dt * norm, state.hardening);
        }
        return congruence(d.U, elastic.kirchhoff(d.sigma));
    }
};

}  // namespace knead
