// Dense foam [Yue 2015]: neo-Hookean with a radial flow rule, remembered by the unimodular tensor b
// and the dilation j = J - 1. No decomposition is needed.
#pragma once

#include "knead/materials/elasticity/neo_hookean.h"
#include "knead/materials/flow/von_mises.h"
#include "knead/materials/material_state.h"
#include "knead/math/cube_root.h"

namespace knead {

template <class Real, class Flow>
struct Foam {
    NeoHookean<Real> elastic;
    Flow flow;
    static constexpr unsigned columns = uses_b | uses_dilation;
    static constexpr bool flows = !std::is_same_v<Flow, NoFlow>;

    static bool fits(const Material& m, const Tearing& tearing) {
        return is_made_of<NeoHookean<Real>, Flow>(m) && !tearing.tears(m);
    }
    static Foam of(const Material& m, const Tearing&) {
        return {NeoHookean<Real>::of(m), Flow::of(m)};
    }

    template <class T>
    CPU_GPU Sym3<T> advance(MaterialState<T>& state, const Mat3<T>& dt_L, Real dt) const {
        const T d = determinant_minus_one(dt_L);
        state.dilation = state.dilation + d + state.dilation * d;
        // Elastic prediction b_pre = f b f^T, brought to determinant one  [Yue 2015, Eq. 12-13]
        state.b = unimodular(congruence(identity3<T>() + dt_L, state.b));
        if constexpr (flows) state.b = flowed(state.b, dt);
        return stress(state);
    }
    template <class T>
    CPU_GPU Sym3<T> stress(const MaterialState<T>& state) const {
        return elastic.kirchhoff(state.b, state.dilation);
    }
    template <class T>
    CPU_GPU T energy(const MaterialState<T>& state) const {
        return elastic.energy(state.b, state.dilation);
    }
    CPU_GPU Real stiffness() const { return elastic.stiffness(); }
    CPU_GPU Real viscosity() const { return Real(0); }

    // det(I + A) - 1, without losing the digits of a small A.
    template <class T>
    CPU_GPU static T determinant_minus_one(const Mat3<T>& A) {
        const T t = trace(A);
        const T trace_square = A.xx * A.xx + A.yy * A.yy + A.zz * A.zz +
                               T(2) * (A.xy * A.yx + A.xz * A.zx + A.yz * A.zy);
        return t + T(0.5) * (t * t - trace_square) + determinant(A);
    }
    template <class T>
    CPU_GPU static Sym3<T> unimodular(const Sym3<T>& b) {
        return inverse_cube_root(determinant(b)) * b;
    }
    // Return map [Yue 2015, Alg. 1]: the deviator shrinks, the trace stays, and the determinant is
    // brought back to one, which is part of the model: without it shear has no steady state.
    template <class T>
    CPU_GPU ALWAYS_INLINE Sym3<T> flowed(const Sym3<T>& b, Real dt) const {
        const Sym3<T> shape = deviator(b);
        const T s = elastic.mu * sqrt(norm_squared(shape));
        const auto yields = s > T(flow.yield_radius);
        if (!any(yields)) return b;
        const T third = trace(b) * T(1.0 / 3.0);
        const T inverse = T(1) / select(yields, s, T(1));
        const T keep = flow.relaxed(s, third * elastic.mu, dt) * inverse;
        const Sym3<T> returned = keep * shape + sym_diagonal(splat(third));  // [Yue 2015, Eq. 18]
        return select(yields, unimodular(select(yields, returned, b)), b);
    }
};

}  // namespace knead
