#include "knead/mpm/implicit/tile_map.h"

namespace knead {

namespace {

// Where a node of a tile stands among all nodes; `at` counts from the tile's first.
std::size_t node_of_tile(const SourceBlock& block, const Vec3i& at) {
    std::size_t target = 0, inside = 0;
    for (int a = 0; a < 3; ++a) {
        const int node = at[a] - 1 + block_width;  // from the block before
        target = 3 * target + static_cast<std::size_t>(node / block_width);
        inside = block_width * inside + static_cast<std::size_t>(node % block_width);
    }
    return static_cast<std::size_t>(block.targets[target]) * block_nodes + inside;
}

}  // namespace

template <class Real, int Order>
TileMap<Real, Order>::TileMap(const BlockGrid& grid, const std::vector<TileBox>& boxes,
                              const SolveNodes<Real>& nodes) {
    const std::size_t sources = grid.sources().size();
    std::vector<std::vector<Entry>> found(sources);
    for_each(sources, 4, [&](std::size_t s) {
        const TileBox& box = boxes[s];
        for (int i = box.first[0]; i < box.last[0]; ++i)
            for (int j = box.first[1]; j < box.last[1]; ++j)
                for (int k = box.first[2]; k < std::min(box.last[2], T::width); ++k) {
                    const std::int32_t node =
                        nodes.number[node_of_tile(grid.sources()[s], {i, j, k})];
                    if (node < 0) continue;
                    found[s].push_back(
                        {static_cast<std::uint32_t>(i * T::slab + j * T::row + 4 * k),
                         static_cast<std::uint32_t>(node)});
                }
    });
    first_of_tile_.assign(sources + 1, 0);
    first_of_node_.assign(nodes.size() + 1, 0);
    for (std::size_t s = 0; s < sources; ++s) {
        entries_.insert(entries_.end(), found[s].begin(), found[s].end());
        first_of_tile_[s + 1] = static_cast<std::uint32_t>(entries_.size());
    }
    for (const Entry& e : entries_) ++first_of_node_[e.node + 1];
    for (std::size_t i = 0; i < nodes.size(); ++i) first_of_node_[i + 1] += first_of_node_[i];
    places_.resize(entries_.size());
    std::vector<std::uint32_t> next(first_of_node_.begin(), first_of_node_.end() - 1);
    for (std::size_t s = 0; s < sources; ++s)
        for (std::uint32_t k = first_of_tile_[s]; k < first_of_tile_[s + 1]; ++k)
            places_[next[entries_[k].node]++] = s * T::size + entries_[k].offset;
}

template class TileMap<float, 1>;
template class TileMap<float, 2>;
template class TileMap<float, 3>;
template class TileMap<double, 1>;
template class TileMap<double, 2>;
template class TileMap<double, 3>;

}  // namespace knead
