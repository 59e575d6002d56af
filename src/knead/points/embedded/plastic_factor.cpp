// plastic_factor: what flows in this step, and the stress that stays.
#include <atomic>

#include "knead/math/svd.h"
#include "knead/parallel/exec.h"
#include "knead/points/embedded/stages.h"

namespace knead {

namespace {

// Particles [begin, begin + n) at once.
template <class Real, class Elastic>
class PlasticPack {
    using P = Pack<Real>;
    static constexpr int lanes = pack_lanes<Real>;

public:
    PlasticPack(Phase<Real>& phase, const Elastic& elastic, const StretchLaw<Real>& law,
                bool force_with_flow, Real shape_stiffness, Real dt, EmbeddedWorkspace<Real>& work)
        : p_(phase.particles),
          elastic_(elastic),
          law_(law),
          flow_(law.flow),
          force_with_flow_(force_with_flow),
          shape_stiffness_(shape_stiffness),
          modulus_(law.density * static_cast<Real>(law.wave_speed * law.wave_speed)),
          dt_(dt),
          work_(work) {
        // The rate of this step, once for all particles that have none of their own.
        if (flow_) step_flow_ = law.rule_of_step(dt);
    }

    std::size_t operator()(std::size_t begin, int n) const {
        Mat3<P> F;
        for (int k = 0; k < 9; ++k) F[k] = P::load_part(&work_.F[k][begin], n, Real(k % 4 == 0));
        const Svd3<P> d = svd(F);
        const P share = flow_ ? shares(d.sigma, begin, n) : P(Real(0));
        // F_p = V diag(plastic) V^T, F_e = U diag(elastic) V^T
        Vec3<P> elastic = d.sigma, plastic = splat(P(Real(1)));
        const bool flows = any(law_.split(step_flow_, share, elastic, plastic));
        Vec3<P> stress = elastic_.piola(elastic);
        if (flows && force_with_flow_)
            stress = {stress.x / plastic.x, stress.y / plastic.y, stress.z / plastic.z};
        store_traction(d.U * diagonal(stress) * transpose(d.V), begin, n);
        return flows ? store_flow(congruence(d.V, plastic), share, begin, n) : 0;
    }

private:
    // gamma, with the stress of the state before anything flows [Jones 2014, Eq. 7].
    P shares(const Vec3<P>& sigma, std::size_t begin, int n) const {
        const P norm = law_.flow_stress(elastic_, sigma);
        P share(Real(0));
        if (law_.radial) share = law_.radial_share(sigma, norm, dt_);
        for (int k = 0; k < n; ++k) {
            const std::size_t i = begin + static_cast<std::size_t>(k);
            const bool sound = sigma.z[k] > Real(1e-4) && work_.basis_inverse[i].xx > Real(0);
            Real g = Real(0);
            if (sound)
                g = law_.radial ? share[k] : flow_of(i).share(norm[k], p_.hardening.at(i), dt_);
            share.set(k, g);
            p_.flow.at(i) = g;
            if (g > Real(0)) p_.hardening.at(i) += dt_ * norm[k];
        }
        return share;
    }
    Creep<Real> flow_of(std::size_t i) const {
        if (!p_.flow_rate.present()) return step_flow_;
        Creep<Real> own = *flow_;
        own.rate = p_.flow_rate.at(i);
        return own;
    }
    // The share of its stress that a neighbourhood may have. A heavy one would throw a light
    // neighbour further in each step: stable up to 4 alone, less where several share it.
    Real bearable(std::size_t i) const {
        constexpr Real most = Real(0.5);
        const Real step = work_.stiffness[i] * modulus_ * dt_ * dt_;
        return step > most ? most / step : Real(1);
    }
    // trust V P A^-1 - restoring F, lane by lane.
    void store_traction(const Mat3<P>& stress, std::size_t begin, int n) const {
        for (int k = 0; k < n; ++k) {
            const std::size_t i = begin + static_cast<std::size_t>(k);
            Mat3<Real> m;
            for (int c = 0; c < 9; ++c) m[c] = stress[c][k];
            const Real volume = bearable(i) * p_.volume.at(i);
            m = (work_.trust[i] * volume) * (m * static_cast<Mat3<Real>>(work_.basis_inverse[i]));
            const Real restoring = volume * shape_stiffness_ * work_.spread[i];
            for (int c = 0; c < 9; ++c) m[c] -= restoring * work_.F[c][i];
            work_.restoring[i] = restoring;
            work_.traction[i] = LaneColumns<Real>::from(m);
        }
    }
    std::size_t store_flow(const Sym3<P>& plastic, const P& share, std::size_t begin, int n) const {
        std::size_t count = 0;
        for (int k = 0; k < n; ++k) {
            if (!(share[k] > Real(0))) continue;
            Sym3<Real> m;
            for (int c = 0; c < 6; ++c) m[c] = plastic[c][k];
            work_.flow[begin + static_cast<std::size_t>(k)] = static_cast<Mat3<Real>>(m);
            ++count;
        }
        return count;
    }

    Particles<Real>& p_;
    const Elastic& elastic_;
    const StretchLaw<Real>& law_;
    const std::optional<Creep<Real>>& flow_;
    Creep<Real> step_flow_{};
    bool force_with_flow_;
    Real shape_stiffness_;  // [Pa]
    Real modulus_;          // of pressure waves [Pa]
    Real dt_;
    EmbeddedWorkspace<Real>& work_;
};

// V k / 2 times the weighted mean of |x_ij - F u_ij|^2 over that of |u_ij|^2.
template <class Real>
Real shape_energy(const Phase<Real>& phase, const EmbeddedWorkspace<Real>& work, std::size_t i,
                  const Mat3<Real>& F, Real modulus) {
    Real sum = Real(0);
    for (std::size_t s = phase.links.first(i); s < phase.links.end(i); ++s) {
        const auto j = static_cast<std::size_t>(phase.links.to[s]);
        const Vec3<Real> x_ij = to_vec(narrow<Real>(work.x[j] - work.x[i]));
        sum += work.weighted[s][3] * length_squared(x_ij - F * phase.links.rest(s));
    }
    return Real(0.5) * phase.particles.volume.at(i) * modulus * work.spread[i] * sum;
}

}  // namespace

template <class Real>
std::size_t plastic_factor(Phase<Real>& phase, const StretchLaw<Real>& law,
                           const EmbeddedSettings& settings, Real dt,
                           EmbeddedWorkspace<Real>& work) {
    constexpr std::size_t lanes = pack_lanes<Real>;
    const std::size_t n = phase.particles.size();
    work.traction.resize(n);
    work.restoring.resize(n);
    if (law.flow) work.flow.resize(n);
    return std::visit(
        [&](const auto& elastic) {
            const PlasticPack pack(phase, elastic, law, settings.force_with_flow,
                                   static_cast<Real>(law.shape_modulus(settings.shape_stiffness)),
                                   dt, work);
            std::atomic<std::size_t> count{0};
            parallel_chunks(n, 512, [&](std::size_t begin, std::size_t end) {
                std::size_t flowing = 0;
                for (std::size_t i = begin; i < end; i += lanes)
                    flowing += pack(i, static_cast<int>(std::min(lanes, end - i)));
                count += flowing;
            });
            return count.load();
        },
        law.elastic);
}

template <class Real>
double stored_energy(const Phase<Real>& phase, const StretchLaw<Real>& law,
                     const EmbeddedSettings& settings, EmbeddedWorkspace<Real>& work) {
    const auto modulus = static_cast<Real>(law.shape_modulus(settings.shape_stiffness));
    compute_weights(phase, work);
    deformation_gradient(phase, work);
    return std::visit(
        [&](const auto& elastic) {
            return reduce(
                phase.particles.size(), 0.0,
                [&](std::size_t i) {
                    if (!(work.basis_inverse[i].xx > Real(0))) return 0.0;
                    Mat3<Real> F;
                    for (int k = 0; k < 9; ++k) F[k] = work.F[k][i];
                    return static_cast<double>(work.trust[i] * phase.particles.volume.at(i) *
                                                   elastic.energy(svd(F).sigma) +
                                               shape_energy(phase, work, i, F, modulus));
                },
                std::plus<>{});
        },
        law.elastic);
}

#define INSTANTIATE(Real)                                                                         \
    template std::size_t plastic_factor(Phase<Real>&, const StretchLaw<Real>&,                    \
                                        const EmbeddedSettings&, Real, EmbeddedWorkspace<Real>&); \
    template double stored_energy(const Phase<Real>&, const StretchLaw<Real>&,                    \
                                  const EmbeddedSettings&, EmbeddedWorkspace<Real>&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
