// Running sums of whole numbers.
#pragma once

#include <algorithm>
#include <concepts>
#include <utility>
#include <vector>

#include "knead/parallel/exec.h"

namespace knead {

inline constexpr std::size_t scan_part = 1 << 14;

// values[i] becomes the sum of the values before it; returns the sum of all.
template <std::integral T>
T exclusive_scan(std::vector<T>& values) {
    const std::size_t n = values.size();
    std::vector<T> before((n + scan_part - 1) / scan_part);
    parallel_chunks(n, scan_part, [&](std::size_t begin, std::size_t end) {
        T sum = 0;
        for (std::size_t i = begin; i < end; ++i) sum = static_cast<T>(sum + values[i]);
        before[begin / scan_part] = sum;
    });
    T total = 0;
    for (T& b : before) total = static_cast<T>(total + std::exchange(b, total));
    parallel_chunks(n, scan_part, [&](std::size_t begin, std::size_t end) {
        T sum = before[begin / scan_part];
        for (std::size_t i = begin; i < end; ++i)
            sum = static_cast<T>(sum + std::exchange(values[i], sum));
    });
    return total;
}

}  // namespace knead
