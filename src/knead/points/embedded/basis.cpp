// compute_basis: weights, A^-1, volumes and masses.
#include <cmath>

#include "knead/math/interleave.h"
#include "knead/parallel/exec.h"
#include "knead/points/embedded/stages.h"
#include "knead/points/mls.h"

namespace knead {

namespace {

constexpr int least_neighbours = 6;
// The mean of the neighbour vectors is 0 inside a lattice, 0.03 h a layer below its surface and
// 0.14 h or more on it.
constexpr double surface_offset = 0.08;
constexpr double most_deviation = 2;  // of an estimated volume from the one it should keep

template <class Real>
struct Moments {
    Sym3<Real> A;     // sum w u u^T
    Real w;           // sum w
    Vec3<Real> mean;  // of u
};

template <class S, int N>
S sum_lanes(const Wide<S, N>& a) {
    S sum = a[0];
    for (int i = 1; i < N; ++i) sum += a[i];
    return sum;
}

// Moments of one particle; keep(slot, w u_x, w u_y, w u_z, w) for every pack of slots.
template <class Real, class Keep>
Moments<Real> moments(const Links<Real>& links, std::size_t i, Real h, const Keep& keep) {
    using P = Pack<Real>;
    constexpr std::size_t lanes = pack_lanes<Real>;
    P lane(Real(0));
    for (int k = 0; k < static_cast<int>(lanes); ++k) lane.set(k, static_cast<Real>(k));
    const P inverse_h2(Real(1) / (h * h)), zero(Real(0));
    const Real count = static_cast<Real>(links.count[i]);
    P A[6] = {zero, zero, zero, zero, zero, zero}, sum = zero;
    P mean[3] = {zero, zero, zero};  // free slots hold 0
    for (std::size_t k = 0; k < Links<Real>::width; k += lanes) {
        const std::size_t s = links.first(i) + k;
        const P x = P::load(&links.u[0][s]), y = P::load(&links.u[1][s]),
                z = P::load(&links.u[2][s]);
        const P t = max(P(Real(1)) - (x * x + y * y + z * z) * inverse_h2, zero);
        const P w = select(lane < P(count - static_cast<Real>(k)), t * t * t, zero);
        const P wx = w * x, wy = w * y, wz = w * z;
        keep(s, wx, wy, wz, w);
        A[0] += wx * x, A[1] += wy * y, A[2] += wz * z;
        A[3] += wx * y, A[4] += wx * z, A[5] += wy * z;
        sum += w;
        mean[0] += x, mean[1] += y, mean[2] += z;
    }
    Moments<Real> m;
    for (int k = 0; k < 6; ++k) m.A[k] = sum_lanes(A[k]);
    m.w = sum_lanes(sum);
    for (int k = 0; k < 3; ++k) m.mean[k] = sum_lanes(mean[k]) / max(count, Real(1));
    return m;
}

template <class Real>
Moments<Real> moments(const Links<Real>& links, std::size_t i, Real h) {
    return moments(links, i, h, [](std::size_t, const auto&...) {});
}
// And keeps the weights.
template <class Real>
Moments<Real> weigh(const Links<Real>& links, std::size_t i, Real h, Array<Lanes<Real>>& weighted) {
    return moments(links, i, h, [&](std::size_t s, const auto&... wu) {
        interleave4(wu..., reinterpret_cast<Real*>(&weighted[s]));
    });
}

// Where neighbours all but lie in a plane their fit divides by next to nothing: stress fades out,
// and with it the step that it would ask for. Less strict than for increments, since rest vectors
// are exact and only flow flattens them.
constexpr double least_spread = 0.01, full_spread = 0.04;

// Weights and A^-1 of every particle; visit(i, moments, A / w) for those that are not degenerate.
template <class Real, class Visit>
void for_each_basis(const Phase<Real>& phase, EmbeddedWorkspace<Real>& work, const Visit& visit) {
    const Links<Real>& links = phase.links;
    work.weighted.resize(links.to.size());
    work.basis_inverse.resize(links.size());
    work.spread.resize(links.size());
    work.trust.resize(links.size());
    work.surface.resize(links.size());
    for_each(links.size(), 256, [&](std::size_t i) {
        const Moments<Real> m = weigh(links, i, phase.particles.support.at(i), work.weighted);
        work.basis_inverse[i] = Sym3<Real>{};
        work.spread[i] = work.trust[i] = Real(0);
        work.surface[i] =
            length(m.mean) > static_cast<Real>(surface_offset) * phase.particles.support.at(i);
        if (links.count[i] < least_neighbours || !(m.w > Real(0))) return;
        const Real scale = Real(1) / trace(m.A);
        const Sym3<Real> A = scale * m.A;
        work.trust[i] = mls_trust(A, least_spread, full_spread);
        if (!(work.trust[i] > Real(0))) return;
        work.basis_inverse[i] = (scale / determinant(A)) * adjugate(A);
        work.spread[i] = scale;
        visit(i, m);
    });
}

// sqrt(det A / (sum w)^3) [Jones 2014, Eq. 3].
template <class Real>
Real volume_of(const Moments<Real>& m) {
    return std::sqrt(determinant((Real(1) / m.w) * m.A));
}
// Its like in SPH: the mass over the density, up to a constant [Jones 2014, Fig. 9].
template <class Real>
Real sph_volume(const Phase<Real>& phase, const Array<Lanes<Real>>& weighted, std::size_t i) {
    const Links<Real>& links = phase.links;
    const Real h = phase.particles.support.at(i), mass = phase.particles.mass.at(i);
    Real sum = mass;
    for (std::size_t s = links.first(i); s < links.end(i); ++s)
        sum += weighted[s][3] * phase.particles.mass.at(static_cast<std::size_t>(links.to[s]));
    return h * h * h * mass / sum;
}

// For those that have no estimate because their neighbours do not span space.
template <class Real>
void take_kept_volumes(Particles<Real>& p) {
    if (!p.kept_volume.present()) return;
    for_each(p.size(), 4096, [&](std::size_t i) {
        if (p.kept_volume.at(i) > Real(0)) p.volume.at(i) = p.kept_volume.at(i);
    });
}

// By Eq. 3, which is made for even neighbourhoods: far off the volume that flow does not change it
// speaks of the neighbourhood, not of the matter.
template <class Real>
Real estimated_volume(Particles<Real>& p, std::size_t i, const Moments<Real>& m) {
    Real& scale = p.volume_scale.at(i);
    const Real kept = p.kept_volume.present() ? p.kept_volume.at(i) : Real(0);
    const Real shape = volume_of(m);
    if (scale == Real(0)) scale = kept / shape;  // resampled
    if (kept == Real(0)) return scale * shape;   // at the start
    return clamp(scale * shape, kept / Real(most_deviation), kept * Real(most_deviation));
}

// What bounds the eigenvalues of one neighbourhood's stiffness over the masses it acts on, for a
// pressure wave modulus of 1: V sum |g|^2 / m_j with g = A^-1 w u, below V tr A^-1 max w / m_j.
template <class Real>
void bound_stiffness(const Phase<Real>& phase, EmbeddedWorkspace<Real>& work) {
    const Links<Real>& links = phase.links;
    const Particles<Real>& p = phase.particles;
    work.stiffness.resize(links.size());
    for_each(links.size(), 256, [&](std::size_t i) {
        Real most = Real(0);
        for (std::size_t s = links.first(i); s < links.end(i); ++s)
            most =
                max(most, work.weighted[s][3] / p.mass.at(static_cast<std::size_t>(links.to[s])));
        work.stiffness[i] = p.volume.at(i) * trace(work.basis_inverse[i]) * most;
    });
}

}  // namespace

template <class Real>
void compute_weights(const Phase<Real>& phase, EmbeddedWorkspace<Real>& work) {
    for_each_basis(phase, work, [](std::size_t, const Moments<Real>&) {});
    bound_stiffness(phase, work);
}

template <class Real>
void compute_basis(Phase<Real>& phase, const StretchLaw<Real>& law, EmbeddedVolume volume,
                   EmbeddedWorkspace<Real>& work) {
    Particles<Real>& p = phase.particles;
    if (volume == EmbeddedVolume::estimate) take_kept_volumes(p);
    for_each_basis(phase, work, [&](std::size_t i, const Moments<Real>& m) {
        if (volume == EmbeddedVolume::sph)  // masses stay
            p.volume.at(i) = p.volume_scale.at(i) * sph_volume(phase, work.weighted, i);
        if (volume != EmbeddedVolume::estimate) return;
        const bool start = !(p.kept_volume.present() && p.kept_volume.at(i) > Real(0));
        p.volume.at(i) = estimated_volume(p, i, m);
        if (start) p.mass.at(i) = law.density * p.volume.at(i);  // which then stays
    });
    bound_stiffness(phase, work);
}

// In a lattice the covariance of neighbour vectors is 0.678 spacing^2 each way. Its smallest
// eigenvalue is between 1 and sqrt(3) times 1 / |inverse|; sqrt(3) in the lattice.
template <class Real>
double least_spacing(const Phase<Real>& phase) {
    const Links<Real>& links = phase.links;
    constexpr Real infinite = std::numeric_limits<Real>::infinity();
    const Real least2 = reduce(
        links.size(), infinite,
        [&](std::size_t i) {
            const Moments<Real> m = moments(links, i, phase.particles.support.at(i));
            if (links.count[i] < least_neighbours || !(m.w > Real(0))) return infinite;
            const Real scale = Real(1) / trace(m.A);
            const Sym3<Real> A = scale * m.A;
            const Real trust = mls_trust(A, least_spread, full_spread);
            if (!(trust > Real(0))) return infinite;
            const Real inverse_norm = std::sqrt(norm_squared(adjugate(A))) / determinant(A);
            return Real(1.7320508 / 0.678) / (scale * m.w * inverse_norm * trust);
        },
        [](Real a, Real b) { return min(a, b); });
    return std::sqrt(static_cast<double>(least2));
}

#define INSTANTIATE(Real)                                                              \
    template void compute_weights(const Phase<Real>&, EmbeddedWorkspace<Real>&);       \
    template double least_spacing(const Phase<Real>&);                                 \
    template void compute_basis(Phase<Real>&, const StretchLaw<Real>&, EmbeddedVolume, \
                                EmbeddedWorkspace<Real>&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
