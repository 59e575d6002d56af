// Rows that pass a test, in their order.
#pragma once

#include <cstdint>
#include <vector>

#include "knead/parallel/scan.h"

namespace knead {

// The rows i of [0, n) for which keep(i) holds, ascending. keep is called twice for each row.
template <class Keep>
std::vector<std::uint32_t> compact(std::size_t n, const Keep& keep) {
    std::vector<std::uint32_t> start((n + scan_part - 1) / scan_part);
    parallel_chunks(n, scan_part, [&](std::size_t begin, std::size_t end) {
        std::uint32_t count = 0;
        for (std::size_t i = begin; i < end; ++i) count += keep(i) ? 1u : 0u;
        start[begin / scan_part] = count;
    });
    std::vector<std::uint32_t> rows(exclusive_scan(start));
    parallel_chunks(n, scan_part, [&](std::size_t begin, std::size_t end) {
        std::uint32_t next = start[begin / scan_part];
        for (std::size_t i = begin; i < end; ++i)
            if (keep(i)) rows[next++] = static_cast<std::uint32_t>(i);
    });
    return rows;
}

}  // namespace knead
