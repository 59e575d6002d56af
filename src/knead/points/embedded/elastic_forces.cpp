// elastic_forces: each link pulls its two ends together, or apart, with the same force.
#include "knead/parallel/exec.h"
#include "knead/points/embedded/stages.h"

namespace knead {

namespace {

// Sums of w u and w x_ij over a particle's links: what its own stress acts on.
template <class Real>
Lanes<Real> own_force(const Links<Real>& links, const EmbeddedWorkspace<Real>& work,
                      std::size_t i) {
    Lanes<Real> u(Real(0)), x(Real(0));
    for (std::size_t s = links.first(i); s < links.end(i); ++s) {
        const auto j = static_cast<std::size_t>(links.to[s]);
        u += work.weighted[s];
        x += Lanes<Real>(work.weighted[s][3]) * narrow<Real>(work.x[j] - work.x[i]);
    }
    return work.traction[i] * to_vec(u) + Lanes<Real>(work.restoring[i]) * x;
}

}  // namespace

template <class Real>
void elastic_forces(const Phase<Real>& phase, EmbeddedWorkspace<Real>& work) {
    const Links<Real>& links = phase.links;
    const LinkGraph& graph = work.graph;
    work.force.resize(links.size());
    for_each(links.size(), 256, [&](std::size_t i) {
        Lanes<Real> f = own_force(links, work, i);
        // The other end of links that lead here.
        const auto take = [&](std::size_t slot, std::size_t from) {
            const Lanes<Real> wu = work.weighted[slot];
            const Lanes<Real> x_ki = narrow<Real>(work.x[i] - work.x[from]);
            f -=
                work.traction[from] * to_vec(wu) + Lanes<Real>(work.restoring[from] * wu[3]) * x_ki;
        };
        for (std::size_t s = links.first(i); s < links.end(i); ++s)
            if (graph.twin[s] != LinkGraph::none)
                take(static_cast<std::size_t>(graph.twin[s]),
                     static_cast<std::size_t>(links.to[s]));
        for (std::uint32_t k = graph.extra_begin[i]; k < graph.extra_begin[i + 1]; ++k)
            take(graph.extra[k], LinkGraph::owner(graph.extra[k]));
        work.force[i] = f;
    });
}

template void elastic_forces(const Phase<float>&, EmbeddedWorkspace<float>&);
template void elastic_forces(const Phase<double>&, EmbeddedWorkspace<double>&);

}  // namespace knead
