// Sorting by integer keys. The order is stable and never depends on the thread count.
#pragma once

#include <cstdint>
#include <vector>

namespace knead {

// Sorts the keys; order[i] is where the i-th of them stood.
void sort_by_key(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& order);

}  // namespace knead
