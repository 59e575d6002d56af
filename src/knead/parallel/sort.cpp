#include "knead/parallel/sort.h"

#include <algorithm>
#include <array>
#include <utility>

#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr int digit_bits = 11;
constexpr std::size_t digits = std::size_t{1} << digit_bits;
constexpr std::size_t part_size = 1 << 16;

struct Item {
    std::uint64_t key;
    std::uint32_t row;
};

// One stable pass over a digit: every part counts, the counts are laid out, every part moves.
void sort_digit(const std::vector<Item>& from, std::vector<Item>& to, int shift) {
    const std::size_t n = from.size(), parts = (n + part_size - 1) / part_size;
    std::vector<std::array<std::uint32_t, digits>> start(parts);
    const auto digit = [shift](const Item& item) { return (item.key >> shift) & (digits - 1); };
    parallel_chunks(n, part_size, [&](std::size_t begin, std::size_t end) {
        auto& count = start[begin / part_size];
        count.fill(0);
        for (std::size_t i = begin; i < end; ++i) ++count[digit(from[i])];
    });
    std::uint32_t total = 0;
    for (std::size_t d = 0; d < digits; ++d)
        for (auto& part : start) total += std::exchange(part[d], total);
    parallel_chunks(n, part_size, [&](std::size_t begin, std::size_t end) {
        auto& next = start[begin / part_size];
        for (std::size_t i = begin; i < end; ++i) to[next[digit(from[i])]++] = from[i];
    });
}

}  // namespace

void sort_by_key(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& order) {
    const std::size_t n = keys.size();
    std::vector<Item> items(n), scratch(n);
    for_each(n, part_size, [&](std::size_t i) {
        items[i] = {keys[i], static_cast<std::uint32_t>(i)};
    });
    // Only the bits in which keys differ are worth a pass.
    const std::uint64_t differ = reduce(
        n, std::uint64_t{0}, [&](std::size_t i) { return keys[i] ^ keys[0]; },
        [](std::uint64_t a, std::uint64_t b) { return a | b; });
    for (int shift = 0; shift < 64; shift += digit_bits) {
        if (((differ >> shift) & (digits - 1)) == 0) continue;
        sort_digit(items, scratch, shift);
        items.swap(scratch);
    }
    order.resize(n);
    for_each(n, part_size, [&](std::size_t i) {
        keys[i] = items[i].key;
        order[i] = items[i].row;
    });
}

}  // namespace knead
