// Blocks of 4 x 4 x 4 nodes tile all space. A key packs a block's three coordinates so that keys
// sort as (x, y, z) do.
#pragma once

#include <cstdint>

#include "knead/math/vec.h"

namespace knead {

inline constexpr int block_width = 4;  // nodes a side
inline constexpr int block_nodes = block_width * block_width * block_width;
inline constexpr int block_limit = 1 << 20;  // coordinates lie in [-limit, limit)

inline constexpr std::int64_t block_key(const Vec3i& b) {
    return (static_cast<std::int64_t>(b.x + block_limit) << 42) |
           (static_cast<std::int64_t>(b.y + block_limit) << 21) |
           static_cast<std::int64_t>(b.z + block_limit);
}

inline constexpr Vec3i block_coordinates(std::int64_t key) {
    constexpr std::int64_t mask = (1 << 21) - 1;
    return {static_cast<int>((key >> 42) & mask) - block_limit,
            static_cast<int>((key >> 21) & mask) - block_limit,
            static_cast<int>(key & mask) - block_limit};
}

// Particles belong to the block that holds the first node of their kernel's support.
template <int Order>
inline constexpr double support_offset = 0.5 * (Order - 1);

}  // namespace knead
