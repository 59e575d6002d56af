// A material as the point methods use it: stress and energy of principal stretches, and how strain
// flows away. Made from the law of the grid (law.h), and driven like one: `advance`, `stress` and
// `energy` are what law.h asks for. The two agree to rounding, except where noted at
// CrushableNeoHookean.
#pragma once

#include <optional>
#include <variant>

#include "knead/materials/law.h"
#include "knead/math/svd.h"

namespace knead {

// Neo-Hookean stress that grows no further where matter is crushed below a fifth: a fit of
// neighbours may even turn out inside out, and the law would hold it there.
template <class Real>
struct CrushableNeoHookean {
    NeoHookean<Real> law;

    template <class T>
    T energy(const Vec3<T>& s) const {
        return law.energy(lifted(s));
    }
    template <class T>
    Vec3<T> piola(const Vec3<T>& s) const {
        return law.piola(lifted(s));
    }
    template <class T>
    Vec3<T> kirchhoff(const Vec3<T>& s) const {
        return law.kirchhoff(lifted(s));
    }
    template <class T>
    static Vec3<T> lifted(const Vec3<T>& s) {
        return max(s, splat(T(Real(0.2))));
    }
};

template <class Real>
struct StretchLaw {
    std::variant<CorotatedLinear<Real>, FixedCorotated<Real>, Hencky<Real>,
                 CrushableNeoHookean<Real>>
        elastic;
    std::optional<Creep<Real>> flow;
    // Where set, this rule tells the share of `flow`, by the deviatoric Kirchhoff stress.
    std::optional<HerschelBulkley<Real>> radial;
    Real shear_modulus = 0;  // [Pa]
    Real density = 0;        // [kg/m3]
    double wave_speed = 0;   // of pressure, at rest [m/s]

    bool flows_by_b = false;  // a radial rule shrinks the deviator of b, else that of log strain

    // What damps waves between particles: a share of density x speed of sound x spacing [Pa s].
    double damping(double share, double spacing) const {
        return share * static_cast<double>(density) * wave_speed * spacing;
    }
    // Stiffness against what no linear map explains, `share` of that against pressure waves [Pa];
    // negative: four shear moduli, with which thin bars bend as they should.
    double shape_modulus(double share) const {
        if (share < 0) return 4 * static_cast<double>(shear_modulus);
        return share * static_cast<double>(density) * wave_speed * wave_speed;
    }
    // The norm of stress that flow goes by: Piola's for creep.
    template <class Elastic, class T>
    T flow_stress(const Elastic& law, const Vec3<T>& sigma) const {
        if (!radial) return length(law.piola(sigma));
        const Vec3<T> tau = law.kirchhoff(sigma);
        return length(tau - splat(sum(tau) * T(Real(1.0 / 3.0))));
    }
    // The flow rule with the rate of a step of length dt; only where there is flow.
    Creep<Real> rule_of_step(Real dt) const {
        Creep<Real> rule = *flow;
        rule.rate = flow->rate_over(dt);
        rule.interval = Real(0);
        return rule;
    }
    // The share of the strain that flows in a step, with that norm.
    template <class T>
    T share(const Creep<Real>& step, const Vec3<T>& sigma, const T& norm, const T& hardening,
            Real dt) const {
        return radial ? radial_share(sigma, norm, dt) : step.share(norm, hardening, dt);
    }
    // The share of shape that a radial rule lets flow in a step, with that norm.
    template <class T>
    T radial_share(const Vec3<T>& sigma, const T& norm, Real dt) const {
        const auto yields = norm > T(radial->yield_radius);
        T modulus(shear_modulus);
        if (flows_by_b)  // [Yue 2015, Eq. 15]
            modulus = modulus * T(Real(1.0 / 3.0)) * sum(unimodular(log(safe(sigma))));
        const T left = radial->relaxed(norm, modulus, dt);
        return select(yields, T(Real(1)) - left / select(yields, norm, T(Real(1))), T(Real(0)));
    }
    // Logarithmic strain after that share has flowed away by a rule with this step's rate.
    template <class T>
    Vec3<T> flowed(const Creep<Real>& step, const Vec3<T>& strain, const T& share) const {
        if (!flows_by_b) return step.flowed(strain, share);
        const Vec3<T> b = unimodular(strain);
        const Vec3<T> kept = b - share * mean_free(b);  // [Yue 2015, Eq. 18]
        return T(Real(0.5)) * mean_free(log(kept)) + (strain - mean_free(strain));
    }

    // Parts stretches into what stays, which replaces them, and what flows away; which ones flow.
    template <class T>
    auto split(const Creep<Real>& step, const T& share, Vec3<T>& sigma, Vec3<T>& plastic) const {
        const auto flows = share > T(Real(0));
        if (!any(flows)) return flows;
        const Vec3<T> strain = log(safe(sigma));
        const Vec3<T> kept = flowed(step, strain, share);
        plastic = select(flows, exp(strain - kept), splat(T(Real(1))));
        sigma = select(flows, exp(kept), sigma);
        return flows;
    }

    // One material point through a step with velocity gradient L, given as dt_L = dt * L; its
    // Kirchhoff stress at the end [Pa].
    template <class T>
    Sym3<T> advance(MaterialState<T>& state, const Mat3<T>& dt_L, Real dt) const {
        state.F = state.F + dt_L * state.F;
        return std::visit(
            [&](const auto& law) {
                Svd3<T> d = svd(state.F);
                if (flow) flow_in_step(law, dt, d, state);
                return congruence(d.U, law.kirchhoff(d.sigma));
            },
            elastic);
    }
    // Of a state: Kirchhoff stress [Pa], stored energy a reference volume [J/m3].
    template <class T>
    Sym3<T> stress(const MaterialState<T>& state) const {
        const Svd3<T> d = svd(state.F);
        return congruence(
            d.U, std::visit([&](const auto& law) { return law.kirchhoff(d.sigma); }, elastic));
    }
    template <class T>
    T energy(const MaterialState<T>& state) const {
        const Vec3<T> sigma = svd(state.F).sigma;
        return std::visit([&](const auto& law) { return law.energy(sigma); }, elastic);
    }

private:
    template <class Elastic, class T>
    void flow_in_step(const Elastic& law, Real dt, Svd3<T>& d, MaterialState<T>& state) const {
        const Creep<Real> step = rule_of_step(dt);
        const T norm = flow_stress(law, d.sigma);
        Vec3<T> plastic;
        const auto flows =
            split(step, share(step, d.sigma, norm, state.hardening, dt), d.sigma, plastic);
        if (!any(flows)) return;
        state.F = select(flows, d.U * diagonal(d.sigma) * transpose(d.V), state.F);
        state.hardening = select(flows, state.hardening + T(dt) * norm, state.hardening);
    }
    template <class T>
    static Vec3<T> safe(const Vec3<T>& sigma) {
        return Hencky<Real>::safe_stretch(sigma);
    }
    template <class T>
    static Vec3<T> mean_free(const Vec3<T>& a) {
        return a - splat(sum(a) * T(Real(1.0 / 3.0)));
    }
    // Principal values of b with determinant one, by logarithmic strain.
    template <class T>
    static Vec3<T> unimodular(const Vec3<T>& strain) {
        return exp(T(Real(2)) * mean_free(strain));
    }
};

// Throws InputError for materials that the method cannot take.
template <class Real>
StretchLaw<Real> make_stretch_law(const Material& material);

}  // namespace knead
