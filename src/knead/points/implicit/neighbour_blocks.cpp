#include "knead/points/implicit/neighbour_blocks.h"

namespace knead {

template <class Real>
void NeighbourBlocks<Real>::index_slots(std::size_t n) {
    std::size_t total = 0;
    for (auto& b : blocks) b.offset = total, total += b.touched.size();
    tile.resize(total);
    slot.resize(total);
    slot_begin.assign(n + 1, 0);
    for (const auto& b : blocks)
        for (const std::uint32_t row : b.touched) ++slot_begin[row + 1];
    for (std::size_t i = 0; i < n; ++i) slot_begin[i + 1] += slot_begin[i];
    Array<std::uint32_t> next(slot_begin.begin(), slot_begin.end() - 1);
    for (const auto& b : blocks)
        for (std::size_t k = 0; k < b.touched.size(); ++k)
            slot[next[b.touched[k]]++] = static_cast<std::uint32_t>(b.offset + k);
}

template struct NeighbourBlocks<float>;
template struct NeighbourBlocks<double>;

}  // namespace knead
