// embed: one embedded space is fitted to all rest vectors, which contradict each other.
#include "knead/math/polar.h"
#include "knead/parallel/exec.h"
#include "knead/points/embedded/both_ends.h"
#include "knead/points/embedded/stages.h"

namespace knead {

namespace {

constexpr int max_iterations = 300;

// w^2 of every link, of order one [Jones 2014, Eq. 9]. The kernel's own weights carry h^-3.
template <class Real>
void placement_weights(const Phase<Real>& phase, EmbeddingWeights kind,
                       EmbeddedWorkspace<Real>& work) {
    const Links<Real>& links = phase.links;
    const Column<Real, 1>& support = phase.particles.support;
    const std::size_t n = links.size();
    const double mean_h =
        reduce(
            n, 0.0, [&](std::size_t i) { return static_cast<double>(support.at(i)); },
            std::plus<>{}) /
        static_cast<double>(n);
    work.directed.resize(links.to.size());
    for_each(n, 512, [&](std::size_t i) {
        const Real q = static_cast<Real>(mean_h) / support.at(i);
        const Real scale = kind == EmbeddingWeights::kernel ? q * q * q : Real(1);
        for (std::size_t s = links.first(i); s < links.end(i); ++s) {
            const Real w = scale * work.weighted[s][3];
            work.directed[s] = w * w;
        }
    });
}

// C^T (u - C e): what the links still want to move every particle by [Jones 2014, Eq. 11]. `turned`
// gives the rest vector of a slot and its owner as embedded space shall show it.
template <class Real, class Turned>
void pull(const Links<Real>& links, EmbeddedWorkspace<Real>& work, const Turned& turned) {
    sum_both_ends(links, work.scatter_buffer, work.residual,
                  [&](std::size_t slot, std::size_t i, std::size_t j) {
                      const Lanes<Real> e_ij = narrow<Real>(work.x[j] - work.x[i]);
                      return Lanes<Real>(work.directed[slot]) * (e_ij - turned(slot, i));
                  });
}

// The least squares fit of e_ij to u_ij.
template <class Real>
Mat3<Real> fit_of_embedding(const Links<Real>& links, const EmbeddedWorkspace<Real>& work,
                            std::size_t i) {
    LaneColumns<Real> m{};
    for (std::size_t s = links.first(i); s < links.end(i); ++s) {
        const auto j = static_cast<std::size_t>(links.to[s]);
        const Lanes<Real> e_ij = narrow<Real>(work.x[j] - work.x[i]);
        const Lanes<Real> wu = work.weighted[s];
        for (int k = 0; k < 3; ++k) m.c[k] += Lanes<Real>(wu[k]) * e_ij;
    }
    return from_columns(to_vec(m.c[0]), to_vec(m.c[1]), to_vec(m.c[2])) *
           static_cast<Mat3<Real>>(work.basis_inverse[i]);
}

// Its rotation, by which rest space turns into embedded space; a pack of particles at once.
template <class Real>
void fit_rotations(const Links<Real>& links, EmbeddedWorkspace<Real>& work) {
    constexpr std::size_t lanes = pack_lanes<Real>;
    parallel_chunks(links.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; i += lanes) {
            const int count = static_cast<int>(std::min(lanes, end - i));
            Mat3<Pack<Real>> fit = identity3<Pack<Real>>();
            for (int l = 0; l < count; ++l) {
                const Mat3<Real> one =
                    fit_of_embedding(links, work, i + static_cast<std::size_t>(l));
                for (int k = 0; k < 9; ++k) fit[k].set(l, one[k]);
            }
            const Mat3<Pack<Real>> turn = polar_rotation(fit);
            for (int l = 0; l < count; ++l) {
                Mat3<Real> one;
                for (int k = 0; k < 9; ++k) one[k] = turn[k][l];
                work.rotation[i + static_cast<std::size_t>(l)] = LaneColumns<Real>::from(one);
            }
        }
    });
}

// One placement: e += the solution, shifted so that the first particle of every connected piece
// stays where it is. The matrix is blind to such shifts, so this is the pinned solution.
template <class Real>
CgReport place(Phase<Real>& phase, const EmbeddedSettings& settings,
               EmbeddedWorkspace<Real>& work) {
    const LinkGraph& graph = work.graph;
    const CgReport report =
        work.placement.solve(work.change, work.residual, settings.embedding_tolerance,
                             max_iterations, phase.particles.support.plane(0));
    for_each(phase.particles.size(), 4096, [&](std::size_t i) {
        const std::size_t pin = graph.first_of_piece[static_cast<std::size_t>(graph.piece[i])];
        const Lanes<Real> move = work.change[i] - work.change[pin];
        work.x[i] += Lanes<double>(__builtin_convertvector(move.v, Lanes<double>::Native));
    });
    return report;
}

}  // namespace

template <class Real>
CgReport embed(Phase<Real>& phase, const EmbeddedSettings& settings,
               EmbeddedWorkspace<Real>& work) {
    const Links<Real>& links = phase.links;
    Column<double, 3>& e = phase.particles.e;
    const std::size_t n = links.size();
    work.x.resize(n);
    for_each(n, 4096, [&](std::size_t i) { work.x[i] = to_lanes(e.vec(i)); });
    placement_weights(phase, settings.embedding_weights, work);
    work.placement.set(links, work.graph, work.directed);

    CgReport report;
    if (settings.embedding == Embedding::linear) {
        const auto rest = [&](std::size_t slot, std::size_t) { return to_lanes(links.rest(slot)); };
        pull(links, work, rest);
        report = place(phase, settings, work);
    } else {
        // Rotations and positions in turn [Jones 2014, section 4, after Wicke 2010].
        work.rotation.resize(n);
        const auto rest = [&](std::size_t slot, std::size_t owner) {
            return work.rotation[owner] * links.rest(slot);
        };
        for (int round = 0; round < settings.nonlinear_rounds; ++round) {
            fit_rotations(links, work);
            pull(links, work, rest);
            const CgReport one = place(phase, settings, work);
            report = {report.iterations + one.iterations, one.residual};
        }
    }
    for_each(n, 4096, [&](std::size_t i) { e.set(i, to_vec(work.x[i])); });
    return report;
}

#define INSTANTIATE(Real) \
    template CgReport embed(Phase<Real>&, const EmbeddedSettings&, EmbeddedWorkspace<Real>&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
