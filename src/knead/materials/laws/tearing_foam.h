// Foam that tears and heals [Yue 2015, section 7]. Besides the foam's own state it follows the
// total deformation gradient F, from which the plastic strain C_p is known. Where that has grown
// past the threshold the particle is weak: it bears no tension, gathers no more shear and no more
// volume, until healing has brought C_p back.
#pragma once

#include "knead/materials/laws/foam.h"
#include "knead/math/eigen_sym.h"
#include "knead/math/polar.h"

namespace knead {

template <class Real, class Flow>
struct TearingFoam {
    Foam<Real, Flow> foam;
    Real threshold;                  // sigma_T, of |dev C_p|
    Real recovery_time;              // eta_p [s]; 0: never heals
    bool limits_stress = true;       // stage 4
    bool limits_deformation = true;  // stage 8
    static constexpr unsigned columns = uses_F | uses_b | uses_dilation | uses_weak;

    static bool fits(const Material& m, const Tearing& tearing) {
        return is_made_of<NeoHookean<Real>, Flow>(m) && tearing.tears(m);
    }
    static TearingFoam of(const Material& m, const Tearing& tearing) {
        return {Foam<Real, Flow>::of(m, tearing), static_cast<Real>(m.tear.threshold),
                static_cast<Real>(tearing.heals ? m.tear.recovery_time : 0), tearing.limits_stress,
                tearing.limits_deformation};
    }

    // Stages 7, 8 and 10 of a step, then 2 to 4 of the next.
    template <class T>
    CPU_GPU Sym3<T> advance(MaterialState<T>& state, const Mat3<T>& dt_L, Real dt) const {
        Mat3<T> f = identity3<T>() + dt_L;
        T growth = foam.determinant_minus_one(dt_L);  // det f - 1
        Sym3<T> b = foam.unimodular(congruence(f, state.b));
        const auto torn = state.weak > T(0);
        if (limits_deformation && any(torn)) limit_deformation(state, torn, f, growth, b);
        state.F = f * state.F;
        state.dilation = state.dilation + growth + state.dilation * growth;
        state.b = b;
        if constexpr (Foam<Real, Flow>::flows) state.b = foam.flowed(state.b, dt);
        detect_tearing(state);
        return stress(state);
    }

    // Stage 2: weak where |dev C_p| > sigma_T, C_p = det(F)^-2/3 F^T adj(b) F, both sides raised to
    // the sixth power so that no root is taken.  [Yue 2015, Alg. 7]
    template <class T>
    CPU_GPU void detect_tearing(MaterialState<T>& state) const {
        const T J = determinant(state.F), limit = T(threshold * threshold);
        const T grown = norm_squared(deviator(unscaled_plastic_strain(state)));
        const T torn = grown * grown * grown, bound = limit * limit * limit * (J * J) * (J * J);
        state.weak = select(torn > bound, T(1), T(0));
    }

    // Stages 3 and 4: torn matter bears pressure but no tension.  [Yue 2015, Alg. 8]
    template <class T>
    CPU_GPU Sym3<T> stress(const MaterialState<T>& state) const {
        const Sym3<T> tau = foam.stress(state);
        const auto torn = state.weak > T(0);
        if (!limits_stress || !any(torn)) return tau;
        const auto e = eigen_sym(tau);
        const Vec3<T> pressed = min(e.lambda, splat(T(0)));
        return select(torn, congruence(e.Q, pressed), tau);
    }

    // Stage 11: every ln(lambda) of C_p decays with the recovery time; stress and volume stay.
    // Exact for any dt, so it need not be done every step.  [Yue 2015, Alg. 14]
    template <class T>
    CPU_GPU void heal(MaterialState<T>& state, Real dt) const {
        if (!(recovery_time > Real(0))) return;
        const Real power = (exp(-dt / recovery_time) - Real(1)) / Real(2);
        const auto e = eigen_sym(plastic_strain(state));
        const Vec3<T> lambda = max(e.lambda, splat(T(1e-6f)));
        const Vec3<T> shrink = exp(T(power) * log(lambda));
        state.F = state.F * static_cast<Mat3<T>>(congruence(e.Q, shrink));
        detect_tearing(state);
    }

    template <class T>
    CPU_GPU T energy(const MaterialState<T>& state) const {
        return foam.energy(state);
    }
    CPU_GPU Real stiffness() const { return foam.stiffness(); }
    CPU_GPU Real viscosity() const { return Real(0); }

    // C_p, and what it is before it is brought to determinant one.
    template <class T>
    CPU_GPU static Sym3<T> plastic_strain(const MaterialState<T>& state) {
        const T scale = cbrt(determinant(state.F));
        return (T(1) / (scale * scale)) * unscaled_plastic_strain(state);
    }
    template <class T>
    CPU_GPU static Sym3<T> unscaled_plastic_strain(const MaterialState<T>& state) {
        return congruence(transpose(state.F), adjugate(state.b));
    }

    // Stage 8: a torn particle turns with the flow but neither shears nor swells any further.
    // [Yue 2015, Alg. 11, with the expansion test of its text]
    template <class T, class Mask>
    CPU_GPU void limit_deformation(const MaterialState<T>& state, const Mask& torn, Mat3<T>& f,
                                   T& growth, Sym3<T>& b) const {
        const auto shears = torn && largest_eigenvalue(b) > largest_eigenvalue(state.b);
        const Mat3<T> R = polar_rotation(f);
        const T swell = cbrt(T(1) + growth);
        b = select(shears, congruence(R, state.b), b);
        f = select(shears, swell * R, f);
        const auto expands = torn && state.dilation > T(0) && growth > T(0);
        f = select(expands, (T(1) / swell) * f, f);
        growth = select(expands, T(0), growth);
    }
};

}  // namespace knead
