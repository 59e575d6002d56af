// Hencky elasticity with a radial flow rule: deviatoric logarithmic strain shrinks in its own
// direction when the stress norm is above yield, volume is kept.
#pragma once

#include "knead/materials/elasticity/hencky.h"
#include "knead/materials/flow/von_mises.h"
#include "knead/materials/laws/principal_solid.h"

namespace knead {

template <class Real, class Flow>
struct HenckySolid : PrincipalSolid<Real, Hencky<Real>> {
    using PrincipalSolid<Real, Hencky<Real>>::elastic;
    Flow flow;
    static constexpr unsigned columns = uses_F;
    static constexpr bool flows = !std::is_same_v<Flow, NoFlow>;

    static bool fits(const Material& m, const Tearing&) {
        return is_made_of<Hencky<Real>, Flow>(m);
    }
    static HenckySolid of(const Material& m, const Tearing&) {
        return {{Hencky<Real>::of(m)}, Flow::of(m)};
    }

    template <class T>
    CPU_GPU Sym3<T> advance(MaterialState<T>& state, const Mat3<T>& dt_L, Real dt) const {
        state.F = state.F + dt_L * state.F;
        const Svd3<T> d = svd(state.F);
        const Vec3<T> stretch = Hencky<Real>::safe_stretch(d.sigma);
        Vec3<T> strain = log(stretch);

        // Crushed and inverted states are lifted to the smallest stretch.
        auto changed = stretch.x != d.sigma.x || stretch.y != d.sigma.y || stretch.z != d.sigma.z;
        if constexpr (flows) {
            const Vec3<T> mean = splat(sum(strain) * T(1.0 / 3.0)), shape = strain - mean;
            const T s = T(2) * elastic.mu * length(shape);
            const auto yields = s > T(flow.yield_radius);
            if (any(yields)) {
                const T relaxed = flow.relaxed(s, T(elastic.mu), dt);
                const T keep = select(yields, relaxed / select(yields, s, T(1)), T(1));
                strain = select(yields, mean + keep * shape, strain);
                changed = changed || yields;
            }
        }
        if (any(changed))
            state.F = select(changed, d.U * diagonal(exp(strain)) * transpose(d.V), state.F);
        return congruence(d.U, elastic.kirchhoff_of_log(strain));
    }
};

}  // namespace knead
