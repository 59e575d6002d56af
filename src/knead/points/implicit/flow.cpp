// flow: the deformation at the end of the step, what flows of it, and rest shapes that are renewed.
#include <cmath>
#include <functional>

#include "knead/math/svd.h"
#include "knead/points/implicit/elastic_operator.h"
#include "knead/points/implicit/stages.h"

namespace knead {

namespace {

constexpr double least_stretch = 1e-3;  // flatter than this is kept as it was
constexpr double most_distortion = 2;   // of rest vectors, largest over smallest stretch

// Particles [begin, begin + count) of a phase at once.
template <class Real, class Elastic>
class FlowPack {
    using P = Pack<Real>;

public:
    FlowPack(const ImplicitSettings& settings, const Elastic& elastic, const StretchLaw<Real>& law,
             Particles<Real>& p, std::size_t first, double dt, const ImplicitWorkspace<Real>& work)
        : lazy_(settings.is_lazy()),
          elastic_(elastic),
          law_(law),
          p_(p),
          first_(first),
          dt_(static_cast<Real>(dt)),
          work_(work) {
        if (law.flow) step_ = law.rule_of_step(dt_);
    }

    FlowCount operator()(std::size_t begin, int count) {
        const Mat3<P> F = load_matrices(work_.F, first_ + begin, count);
        const Svd3<P> d = svd(F);
        FlowCount result;
        const P share = law_.flow ? shares(d.sigma, begin, count) : P(Real(0));
        Vec3<P> kept = d.sigma, gone = splat(P(Real(1)));
        Mat3<P> elastic = F;
        Sym3<P> plastic = sym_identity<P>();
        const auto flows = law_.split(step_, share, kept, gone);
        if (any(flows)) {
            elastic = select(flows, d.U * diagonal(kept) * transpose(d.V), F);
            plastic = congruence(d.V, gone);
        }
        for (int k = 0; k < count; ++k) {
            const std::size_t i = begin + static_cast<std::size_t>(k);
            if (!work_.sound[first_ + i]) continue;
            if (!(d.sigma.z[k] > Real(least_stretch))) {
                ++result.kept;
                continue;
            }
            Mat3<Real> m;
            for (int c = 0; c < 9; ++c) m[c] = elastic[c][k];
            p_.F.set(i, m);
            if (!(share[k] > Real(0))) continue;
            ++result.flowing;
            if (!lazy_) continue;
            Sym3<Real> s;
            for (int c = 0; c < 6; ++c) s[c] = plastic[c][k];
            p_.plastic_F.set(i, static_cast<Mat3<Real>>(s) * p_.plastic_F.mat(i));
        }
        return result;
    }

private:
    // gamma of the stress before anything flows.
    P shares(const Vec3<P>& sigma, std::size_t begin, int count) {
        const P norm = law_.flow_stress(elastic_, sigma);
        P share(Real(0));
        if (law_.radial) share = law_.radial_share(sigma, norm, dt_);
        for (int k = 0; k < count; ++k) {
            const std::size_t i = begin + static_cast<std::size_t>(k);
            Real g = Real(0);
            if (work_.sound[first_ + i] && sigma.z[k] > Real(least_stretch))
                g = law_.radial ? share[k] : rule_of(i).share(norm[k], p_.hardening.at(i), dt_);
            share.set(k, g);
            p_.flow.at(i) = g;
            if (g > Real(0)) p_.hardening.at(i) += dt_ * norm[k];
        }
        for (int k = count; k < static_cast<int>(pack_lanes<Real>); ++k) share.set(k, Real(0));
        return share;
    }
    Creep<Real> rule_of(std::size_t i) const {
        if (!p_.flow_rate.present()) return step_;
        Creep<Real> own = *law_.flow;
        own.rate = p_.flow_rate.at(i);
        return own;
    }

    bool lazy_;
    const Elastic& elastic_;
    const StretchLaw<Real>& law_;
    Particles<Real>& p_;
    std::size_t first_;
    Real dt_;
    const ImplicitWorkspace<Real>& work_;
    Creep<Real> step_{};
};

template <class Real>
FlowCount flow_phase(const ImplicitSettings& settings, const StretchLaw<Real>& law,
                     Particles<Real>& p, std::size_t first, double dt,
                     const ImplicitWorkspace<Real>& work) {
    constexpr std::size_t lanes = pack_lanes<Real>, part = 512;
    return std::visit(
        [&](const auto& elastic) {
            std::vector<FlowCount> parts((p.size() + part - 1) / part);
            parallel_chunks(p.size(), part, [&](std::size_t begin, std::size_t end) {
                FlowPack pack(settings, elastic, law, p, first, dt, work);
                for (std::size_t i = begin; i < end; i += lanes) {
                    const FlowCount c = pack(i, static_cast<int>(std::min(lanes, end - i)));
                    parts[begin / part].flowing += c.flowing;
                    parts[begin / part].kept += c.kept;
                }
            });
            FlowCount sum;
            for (const FlowCount& c : parts) sum.flowing += c.flowing, sum.kept += c.kept;
            return sum;
        },
        law.elastic);
}

// Rest vectors that flow has distorted make a poor basis, and neighbours that have gone make none:
// from now on they follow the particle's present shape, p = F_e^-1 q  [Zhou 2013, Eq. 15].
template <class Real>
std::size_t renew_rest(Particles<Real>& p, std::size_t first, const ImplicitWorkspace<Real>& work) {
    return reduce(
        p.size(), std::size_t{0},
        [&](std::size_t i) {
            const Mat3<Real> B = p.plastic_F.mat(i);
            if (!keeps_rest(B) || B == identity3<Real>()) return std::size_t{0};
            const Vec3<Real> s = svd(B).sigma;
            const bool sound = std::fabs(s.x) < Real(most_distortion) * std::fabs(s.z);
            if (sound && !work.parted[first + i]) return std::size_t{0};
            p.plastic_F.set(i, Mat3<Real>{});
            return std::size_t{1};
        },
        std::plus<>{});
}

}  // namespace

template <class Real>
FlowCount flow(const ImplicitSettings& settings, const std::vector<ImplicitLaw<Real>>& laws,
               std::vector<Phase<Real>>& phases, double dt, ImplicitWorkspace<Real>& work) {
    using P = Pack<Real>;
    for_each_gradient(work.near, work.delta, work.sum_g,
                      [&](std::size_t begin, int count, const Mat3<P>& G) {
                          const Mat3<P> F = load_matrices(work.F, begin, count) + G;
                          store_matrices(F, begin, count, work.F);
                      });
    FlowCount sum;
    for (std::size_t k = 0; k < phases.size(); ++k) {
        const FlowCount c =
            flow_phase(settings, laws[static_cast<std::size_t>(phases[k].material)].stretch,
                       phases[k].particles, work.first[k], dt, work);
        sum.flowing += c.flowing, sum.kept += c.kept;
        if (settings.is_lazy()) sum.renewed += renew_rest(phases[k].particles, work.first[k], work);
    }
    return sum;
}

template FlowCount flow(const ImplicitSettings&, const std::vector<ImplicitLaw<float>>&,
                        std::vector<Phase<float>>&, double, ImplicitWorkspace<float>&);
template FlowCount flow(const ImplicitSettings&, const std::vector<ImplicitLaw<double>>&,
                        std::vector<Phase<double>>&, double, ImplicitWorkspace<double>&);

}  // namespace knead
