// elastic_forces: each link pulls its two ends together, or apart, with the same force.
#include "knead/parallel/exec.h"
#include "knead/points/embedded/stages.h"

namespace knead {

namespace {

// sum w u over a particle's links: what its own stress acts on.
template <class Real>
Vec3<Real> weighted_sum(const Links<Real>& links, const Array<Lanes<Real>>& weighted,
                        std::size_t i) {
    Lanes<Real> sum(Real(0));
    for (std::size_t s = links.first(i); s < links.end(i); ++s) sum += weighted[s];
    return to_vec(sum);
}

}  // namespace

template <class Real>
void elastic_forces(const Phase<Real>& phase, EmbeddedWorkspace<Real>& work) {
    const Links<Real>& links = phase.links;
    const LinkGraph& graph = work.graph;
    work.force.resize(links.size());
    for_each(links.size(), 256, [&](std::size_t i) {
        Lanes<Real> f = work.traction[i] * weighted_sum(links, work.weighted, i);
        // The other end of links that lead here.
        const auto take = [&](std::size_t slot, std::size_t from) {
            f -= work.traction[from] * to_vec(work.weighted[slot]);
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
