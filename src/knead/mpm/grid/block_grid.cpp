#include "knead/mpm/grid/block_grid.h"

#include <algorithm>

#include "knead/parallel/exec.h"

namespace knead {

namespace {

Vec3i neighbour(const Vec3i& b, int k) {
    return {b.x + k / 9 - 1, b.y + k / 3 % 3 - 1, b.z + k % 3 - 1};
}

std::int32_t find(const std::vector<std::int64_t>& keys, std::int64_t key) {
    const auto at = std::lower_bound(keys.begin(), keys.end(), key);
    return at != keys.end() && *at == key ? static_cast<std::int32_t>(at - keys.begin()) : -1;
}

void sort_unique(std::vector<std::int64_t>& keys) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

}  // namespace

template <class Real>
void BlockGrid::build(const std::vector<Phase<Real>>& phases) {
    std::vector<std::int64_t> keys;
    for (const auto& phase : phases)
        for (const BlockRange& range : phase.blocks) keys.push_back(range.key);
    sort_unique(keys);
    connect(keys);

    rows_.assign(phases.size() * sources_.size(), RowRange{});
    for (std::size_t p = 0; p < phases.size(); ++p)
        for (const BlockRange& range : phases[p].blocks) {
            const auto s = static_cast<std::size_t>(find(keys, range.key));
            rows_[p * sources_.size() + s] = {range.begin, range.end};
        }
}

void BlockGrid::connect(const std::vector<std::int64_t>& source_keys) {
    // Particles of a source block reach every neighbour of it, no more.
    std::vector<std::int64_t> target_keys;
    target_keys.reserve(source_keys.size() * 27);
    for (const std::int64_t key : source_keys)
        for (int k = 0; k < 27; ++k)
            target_keys.push_back(block_key(neighbour(block_coordinates(key), k)));
    sort_unique(target_keys);

    sources_.resize(source_keys.size());
    for_each(sources_.size(), 256, [&](std::size_t s) {
        SourceBlock& block = sources_[s];
        block.coordinates = block_coordinates(source_keys[s]);
        for (int k = 0; k < 27; ++k)
            block.targets[static_cast<std::size_t>(k)] =
                find(target_keys, block_key(neighbour(block.coordinates, k)));
    });
    targets_.resize(target_keys.size());
    for_each(targets_.size(), 256, [&](std::size_t t) {
        TargetBlock& block = targets_[t];
        block.coordinates = block_coordinates(target_keys[t]);
        for (int k = 0; k < 27; ++k)
            block.sources[static_cast<std::size_t>(k)] =
                find(source_keys, block_key(neighbour(block.coordinates, k)));
    });
}

std::int64_t BlockGrid::find_target(const Vec3i& coordinates) const {
    const std::int64_t key = block_key(coordinates);
    const auto at = std::lower_bound(
        targets_.begin(), targets_.end(), key,
        [](const TargetBlock& t, std::int64_t k) { return block_key(t.coordinates) < k; });
    return at != targets_.end() && at->coordinates == coordinates ? at - targets_.begin() : -1;
}

std::size_t BlockGrid::bytes() const {
    return sources_.capacity() * sizeof(SourceBlock) + targets_.capacity() * sizeof(TargetBlock) +
           rows_.capacity() * sizeof(RowRange);
}

template void BlockGrid::build(const std::vector<Phase<float>>&);
template void BlockGrid::build(const std::vector<Phase<double>>&);

}  // namespace knead
