// Least-significant-digit radix sort. What moves is 64 bits: 32 bits of a key above the row it came
// from. Keys that differ in more than 32 adjacent bits are sorted window by window.
#include "knead/parallel/sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <utility>

#include "knead/base/check.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr int most_digit_bits = 9;
constexpr std::size_t part_size = 1 << 15;
constexpr std::uint64_t low_half = 0xffffffffu;

using Items = std::unique_ptr<std::uint64_t[]>;
using Counts = std::array<std::uint32_t, std::size_t{1} << most_digit_bits>;

// One stable pass over a digit: every part counts, the counts are laid out, every part moves. Parts
// have a fixed size, so that threads decide nothing.
void sort_digit(const std::uint64_t* from, std::uint64_t* to, std::size_t n, int shift,
                std::uint64_t mask) {
    std::vector<Counts> start((n + part_size - 1) / part_size);
    parallel_chunks(n, part_size, [&](std::size_t begin, std::size_t end) {
        Counts& count = start[begin / part_size];
        for (std::size_t i = begin; i < end; ++i) ++count[(from[i] >> shift) & mask];
    });
    std::uint32_t total = 0;
    for (std::size_t d = 0; d <= mask; ++d)
        for (Counts& part : start) total += std::exchange(part[d], total);
    parallel_chunks(n, part_size, [&](std::size_t begin, std::size_t end) {
        Counts& next = start[begin / part_size];
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint64_t item = from[i];
            to[next[(item >> shift) & mask]++] = item;
        }
    });
}

// Sorts items by their upper half, of which only the bits in `differ` vary.
void sort_items(std::vector<std::uint64_t>& items, Items& scratch, std::uint64_t differ) {
    const std::size_t n = items.size();
    const int bits = 64 - std::countl_zero(differ);
    if (bits == 0) return;
    const int passes = (bits + most_digit_bits - 1) / most_digit_bits;
    const int digit_bits = (bits + passes - 1) / passes;
    const std::uint64_t mask = (std::uint64_t{1} << digit_bits) - 1;
    std::uint64_t *from = items.data(), *to = scratch.get();
    for (int shift = 0; shift < bits; shift += digit_bits) {
        if (((differ >> shift) & mask) == 0) continue;
        sort_digit(from, to, n, 32 + shift, mask);
        std::swap(from, to);
    }
    if (from != items.data()) for_each(n, part_size, [&](std::size_t i) { to[i] = from[i]; });
}

std::uint64_t differing_bits(const std::vector<std::uint64_t>& keys) {
    if (keys.empty()) return 0;
    const std::uint64_t first = keys[0];
    return reduce(
        keys.size(), std::uint64_t{0}, [&](std::size_t i) { return keys[i] ^ first; },
        [](std::uint64_t a, std::uint64_t b) { return a | b; });
}

// All differing bits fit in one window: the key is rebuilt from the item.
void sort_narrow(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& order,
                 std::uint64_t differ) {
    const std::size_t n = keys.size();
    const int low = std::countr_zero(differ);
    const std::uint64_t common = keys[0] & ~(low_half << low);
    Items scratch(new std::uint64_t[n]);
    for_each(n, part_size, [&](std::size_t i) { keys[i] = ((keys[i] >> low) << 32) | i; });
    sort_items(keys, scratch, differ >> low);
    for_each(n, part_size, [&](std::size_t i) {
        order[i] = static_cast<std::uint32_t>(keys[i] & low_half);
        keys[i] = ((keys[i] >> 32) << low) | common;
    });
}

void sort_wide(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& order,
               std::uint64_t differ) {
    const std::size_t n = keys.size();
    const std::vector<std::uint64_t> original = keys;
    Items scratch(new std::uint64_t[n]);
    for_each(n, part_size, [&](std::size_t i) { order[i] = static_cast<std::uint32_t>(i); });
    for (const int low : {0, 32}) {
        for_each(n, part_size,
                 [&](std::size_t i) { keys[i] = ((original[order[i]] >> low) << 32) | order[i]; });
        sort_items(keys, scratch, (differ >> low) & low_half);
        for_each(n, part_size,
                 [&](std::size_t i) { order[i] = static_cast<std::uint32_t>(keys[i] & low_half); });
    }
    for_each(n, part_size, [&](std::size_t i) { keys[i] = original[order[i]]; });
}

}  // namespace

void sort_by_key(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& order) {
    CHECK(keys.size() <= low_half, "%zu rows do not fit in 32 bits", keys.size());
    order.resize(keys.size());
    const std::uint64_t differ = differing_bits(keys);
    if (differ == 0) {
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    } else if (differ >> std::countr_zero(differ) <= low_half) {
        sort_narrow(keys, order, differ);
    } else {
        sort_wide(keys, order, differ);
    }
}

}  // namespace knead
