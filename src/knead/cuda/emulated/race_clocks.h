// What each thread of a CUDA block knows of the others: for every thread the clock up to which its
// accesses come before what this one does now. A clock goes on where its thread lets others know.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "knead/cuda/emulated/race_memory.h"

namespace knead::emulated {

class BlockClocks {
public:
    void begin(unsigned threads);
    std::uint32_t clock(unsigned thread) const { return own_[thread]; }
    std::uint16_t epoch() const { return epoch_; }
    // Whether an access of another thread of this CUDA block comes before what `thread` does now.
    bool is_before(const Access& a, unsigned thread) const;

    void order_all() { ++epoch_; }
    void order_lanes(unsigned first, unsigned mask);
    void release(unsigned thread, const void* at);
    void acquire(unsigned thread, const void* at);

private:
    std::uint32_t* known(unsigned thread) { return known_.data() + thread * count_; }
    const std::uint32_t* known(unsigned thread) const { return known_.data() + thread * count_; }
    void join(std::uint32_t* to, const std::uint32_t* from) const;
    void join_warp(unsigned thread, std::uint32_t* to) const;
    void make_known();

    unsigned count_ = 0;
    std::uint16_t epoch_ = 0;          // __syncthreads so far
    std::vector<std::uint32_t> own_;   // clocks
    std::vector<std::uint32_t> warp_;  // clocks at the warp's last __syncwarp, which its lanes know
    std::vector<char> warp_learnt_;    // a lane has learnt something since
    std::vector<std::uint32_t> known_;  // [thread][thread], beyond that
    bool has_known_ = false;            // known_ is in use in this CUDA block
    std::map<const void*, std::vector<std::uint32_t>> released_;
};

}  // namespace knead::emulated
