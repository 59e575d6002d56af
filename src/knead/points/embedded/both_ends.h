// Sums over the links at every particle, from either end, of what a link gives to its owner and
// takes from its neighbour.
#pragma once

#include "knead/parallel/exec.h"
#include "knead/points/embedded/lanes.h"
#include "knead/points/embedded/link_graph.h"

namespace knead {

// sums[i] = sum over own links of give(slot, i, j) - sum over links from k to i of give(slot, k,
// i). Rows are cut into parts. A link within a part gives to both ends at once; one that leads into
// another part is computed at each end, since it would be far away in memory for one of them and
// belong to another thread. The order of a sum depends on the parts alone.
template <class Real, class Give>
void sum_both_ends(const Links<Real>& links, const LinkGraph& graph, Array<Lanes<Real>>& sums,
                   const Give& give) {
    constexpr std::size_t part = 4096;
    sums.resize(links.size());
    parallel_chunks(links.size(), part, [&](std::size_t first, std::size_t end) {
        const auto here = [&](std::size_t row) { return row - first < end - first; };
        for (std::size_t i = first; i < end; ++i) sums[i] = Lanes<Real>(Real(0));
        for (std::size_t i = first; i < end; ++i) {
            Lanes<Real> sum(Real(0));
            for (std::size_t s = links.first(i); s < links.end(i); ++s) {
                const auto j = static_cast<std::size_t>(links.to[s]);
                const Lanes<Real> given = give(s, i, j);
                sum += given;
                if (here(j))
                    sums[j] -= given;
                else if (graph.twin[s] != LinkGraph::none)
                    sum -= give(static_cast<std::size_t>(graph.twin[s]), j, i);
            }
            for (std::uint32_t k = graph.extra_begin[i]; k < graph.extra_begin[i + 1]; ++k) {
                const std::size_t slot = graph.extra[k], owner = LinkGraph::owner(slot);
                if (!here(owner)) sum -= give(slot, owner, i);
            }
            sums[i] += sum;
        }
    });
}

}  // namespace knead
