#include "knead/cuda/emulated/race_clocks.h"

#include <algorithm>
#include <bit>

namespace knead::emulated {

namespace {

constexpr unsigned whole_warp = ~0u;

template <class Visit>
void for_each_lane(unsigned first, unsigned mask, const Visit& visit) {
    for (; mask; mask &= mask - 1) visit(first + static_cast<unsigned>(std::countr_zero(mask)));
}

}  // namespace

void BlockClocks::begin(unsigned threads) {
    count_ = threads;
    epoch_ = 1;
    own_.assign(count_, 1);
    warp_.assign(count_, 0);
    warp_learnt_.assign(count_ / 32 + 1, 0);
    has_known_ = false;
    released_.clear();
}

bool BlockClocks::is_before(const Access& a, unsigned thread) const {
    if (a.thread == thread || a.epoch < epoch_) return true;
    if (a.thread / 32 == thread / 32 && a.clock <= warp_[a.thread]) return true;
    return has_known_ && a.clock <= known(thread)[a.thread];
}

void BlockClocks::make_known() {
    if (has_known_) return;
    known_.assign(std::size_t{count_} * count_, 0);
    has_known_ = true;
}
void BlockClocks::join(std::uint32_t* to, const std::uint32_t* from) const {
    for (unsigned u = 0; u < count_; ++u) to[u] = std::max(to[u], from[u]);
}
// What the lanes of a thread's warp know together.
void BlockClocks::join_warp(unsigned thread, std::uint32_t* to) const {
    const unsigned first = thread & ~31u, end = std::min(first + 32, count_);
    for (unsigned u = first; u < end; ++u) to[u] = std::max(to[u], warp_[u]);
    to[thread] = std::max(to[thread], own_[thread]);
}

void BlockClocks::order_lanes(unsigned first, unsigned mask) {
    if (mask != whole_warp || warp_learnt_[first / 32]) {
        make_known();
        std::vector<std::uint32_t> all(count_, 0);
        for_each_lane(first, mask, [&](unsigned t) {
            join(all.data(), known(t));
            all[t] = std::max(all[t], own_[t]);
        });
        for_each_lane(first, mask, [&](unsigned t) { join(known(t), all.data()); });
        if (mask == whole_warp) warp_learnt_[first / 32] = 0;
    }
    for_each_lane(first, mask, [&](unsigned t) {
        if (mask == whole_warp) warp_[t] = own_[t];
        ++own_[t];
    });
}

void BlockClocks::release(unsigned thread, const void* at) {
    std::vector<std::uint32_t>& to = released_[at];
    to.resize(count_);
    if (has_known_) join(to.data(), known(thread));
    join_warp(thread, to.data());
    ++own_[thread];
}
void BlockClocks::acquire(unsigned thread, const void* at) {
    std::vector<std::uint32_t>& from = released_[at];
    from.resize(count_);
    make_known();
    join(known(thread), from.data());
    warp_learnt_[thread / 32] = 1;
}

}  // namespace knead::emulated
