#include "knead/points/embedded/link_graph.h"

#include "knead/parallel/exec.h"

namespace knead {

template <class Real>
void LinkGraph::build(const Links<Real>& links) {
    find_twins(links);
    find_incoming(links);
    find_pieces(links);
}

template <class Real>
void LinkGraph::find_twins(const Links<Real>& links) {
    constexpr std::size_t width = Links<Real>::width;
    twin.resize(links.to.size());
    for_each(links.size(), 512, [&](std::size_t i) {
        const auto row = static_cast<std::int32_t>(i);
        for (std::size_t s = links.first(i); s < links.end(i); ++s) {
            const auto j = static_cast<std::size_t>(links.to[s]);
            const std::int32_t* to = links.to.data() + links.first(j);
            // Free slots of j hold j, never i. One pass over all slots, without branches.
            std::int32_t found = none;
            for (std::int32_t k = 0; k < static_cast<std::int32_t>(width); ++k)
                found = to[k] == row ? k : found;
            twin[s] = found == none ? none : static_cast<std::int32_t>(links.first(j)) + found;
        }
    });
}

template <class Real>
void LinkGraph::find_incoming(const Links<Real>& links) {
    const std::size_t n = links.size();
    incoming_begin.assign(n + 1, 0);
    const auto for_each_single = [&](const auto& visit) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t s = links.first(i); s < links.end(i); ++s)
                if (twin[s] == none) visit(static_cast<std::size_t>(links.to[s]), s);
    };
    for_each_single([&](std::size_t j, std::size_t) { ++incoming_begin[j + 1]; });
    for (std::size_t i = 0; i < n; ++i) incoming_begin[i + 1] += incoming_begin[i];
    incoming.resize(incoming_begin[n]);
    std::vector<std::uint32_t> next(incoming_begin.begin(), incoming_begin.end() - 1);
    for_each_single(
        [&](std::size_t j, std::size_t s) { incoming[next[j]++] = static_cast<std::uint32_t>(s); });
}

// Breadth first, from the lowest row that is not in a piece yet.
template <class Real>
void LinkGraph::find_pieces(const Links<Real>& links) {
    const std::size_t n = links.size();
    piece.assign(n, none);
    first_of_piece.clear();
    std::vector<std::uint32_t> reached;
    reached.reserve(n);
    const auto reach = [&](std::size_t j, std::int32_t number) {
        if (piece[j] != none) return;
        piece[j] = number;
        reached.push_back(static_cast<std::uint32_t>(j));
    };
    for (std::size_t start = 0; start < n; ++start) {
        if (piece[start] != none) continue;
        const auto number = static_cast<std::int32_t>(first_of_piece.size());
        first_of_piece.push_back(static_cast<std::uint32_t>(start));
        std::size_t done = reached.size();
        reach(start, number);
        for (; done < reached.size(); ++done) {
            const std::size_t i = reached[done];
            for (std::size_t s = links.first(i); s < links.end(i); ++s)
                reach(static_cast<std::size_t>(links.to[s]), number);
            for (std::uint32_t k = incoming_begin[i]; k < incoming_begin[i + 1]; ++k)
                reach(owner(incoming[k]), number);
        }
    }
}

template void LinkGraph::build(const Links<float>&);
template void LinkGraph::build(const Links<double>&);

}  // namespace knead
