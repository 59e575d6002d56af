#include "knead/cuda/emulated/block.h"

#include <algorithm>
#include <bit>
#include <string>

#include "knead/cuda/emulated/report.h"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace knead::emulated {

namespace {

template <class Visit>
void for_each_lane(unsigned mask, const Visit& visit) {
    for (; mask; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

}  // namespace

Block& block() {
    static Block one;
    return one;
}

Block::Gathering& Block::Warp::under(unsigned mask) {
    for (Gathering& g : gatherings)
        if (g.mask == mask) return g;
    gatherings.reserve(32);  // they must not move while lanes wait in them
    gatherings.emplace_back().mask = mask;
    return gatherings.back();
}

void Block::prepare(std::size_t threads) {
    threads_.assign(threads, {});
    for (std::size_t i = 0; i < threads; ++i) threads_[i].number = static_cast<unsigned>(i);
    warps_.resize((threads + 31) / 32);
    for (std::size_t w = 0; w < warps_.size(); ++w) {
        const std::size_t lanes = std::min<std::size_t>(32, threads - 32 * w);
        warps_[w].gatherings.clear();
        warps_[w].gone = lanes == 32 ? 0 : ~0u << lanes;
        warps_[w].ready = ~warps_[w].gone;
    }
    alive_ = threads;
    at_barrier_ = at_mbarriers_ = paused_ = 0;
}

void Block::run(const Kernel& kernel) {
    constexpr int most_idle_rounds = 100000;  // in which threads only look for a change
    kernel_ = &kernel;
    prepare(std::size_t{blockDim.x} * blockDim.y * blockDim.z);
    int idle_rounds = 0;
    while (alive_ > 0) {
        bool moved = false;
        for (std::size_t w = 0; w < warps_.size(); ++w) moved = run_warp(w) || moved;
        idle_rounds = moved ? 0 : idle_rounds + 1;
        if (!moved && (paused_ == 0 || idle_rounds > most_idle_rounds)) fail_stuck();
        wake_paused();
    }
}

// Whether anything happened besides that threads looked for a change in vain.
bool Block::run_warp(std::size_t w) {
    if (at_mbarriers_ > 0) wake_at_mbarriers(w);
    bool moved = false;
    while (warps_[w].ready) {
        const std::size_t paused_before = paused_;
        resume(threads_[32 * w + static_cast<unsigned>(std::countr_zero(warps_[w].ready))]);
        moved = moved || paused_ == paused_before;
    }
    return moved;
}

void Block::wake_at_mbarriers(std::size_t w) {
    for (std::size_t i = 32 * w; i < std::min(threads_.size(), 32 * w + 32); ++i) {
        Thread& t = threads_[i];
        if (t.state != State::at_mbarrier || (*t.mbarrier >> 32 & 1u) == t.parity) continue;
        make_ready(t);
        --at_mbarriers_;
    }
}
void Block::wake_paused() {
    if (paused_ == 0) return;
    for (Thread& t : threads_)
        if (t.state == State::paused) make_ready(t);
    paused_ = 0;
}

// This thread is the next to run.
void Block::enter(Thread& t) {
    now_ = &t;
    const unsigned n = t.number;
    threadIdx = {n % blockDim.x, n / blockDim.x % blockDim.y, n / blockDim.x / blockDim.y};
    warp_of(t).ready &= ~(1u << (n & 31u));
    if (t.state == State::fresh) {
        t.fibre = fibres_.take();
        t.fibre->begin(&thread_entry);
    }
    t.state = State::ready;
    resume_thread(n, t.fibre->stack(), Fibre::stack_bytes);
}

#if defined(__SANITIZE_ADDRESS__)
__attribute__((no_sanitize("address")))
#endif
void Block::thread_entry() {
    Fibre::entered();
    Block& b = block();
    b.kernel_->run(b.kernel_->arguments.get());
    b.now_->state = State::returned;
    b.now_->fibre->leave_to_scheduler(true);
}

// Runs threads of a warp until one returns, or none can go on.
void Block::resume(Thread& first) {
    enter(first);
    Fibre::enter_from_scheduler(*first.fibre);
    if (now_->state == State::returned) retire(*now_);
}

void Block::retire(Thread& t) {
    fibres_.give_back(t.fibre);
    t.fibre = nullptr;
    --alive_;
    Warp& w = warp_of(t);
    w.gone |= 1u << (t.number & 31u);
    for (const Gathering& g : w.gatherings)
        if (g.here != 0 && (g.mask & w.gone) != 0)
            fail("a lane returned that others of its warp wait for");
    if (alive_ > 0 && at_barrier_ == alive_) open_barrier();
}

// To another lane of this warp that can go on, or to the scheduler.
void Block::park(State why) {
    Thread& t = *now_;
    t.state = why;
    const unsigned ready = warp_of(t).ready;
    if (ready == 0) return t.fibre->leave_to_scheduler(false);
    Thread& next = threads_[(t.number & ~31u) + static_cast<unsigned>(std::countr_zero(ready))];
    enter(next);
    next.fibre->switch_from(*t.fibre);
}

void Block::make_ready(Thread& t) {
    t.state = t.fibre ? State::ready : State::fresh;
    warp_of(t).ready |= 1u << (t.number & 31u);
}

void Block::open_barrier() {
    at_barrier_ = 0;
    order_block();
    for (Thread& t : threads_)
        if (t.state == State::at_barrier) make_ready(t);
}
void Block::sync() {
    if (++at_barrier_ == alive_)
        open_barrier();
    else
        park(State::at_barrier);
}

void Block::wait(const unsigned long long* mbarrier, unsigned parity) {
    now_->mbarrier = mbarrier;
    now_->parity = parity;
    ++at_mbarriers_;
    park(State::at_mbarrier);
}
void Block::pause() {
    ++paused_;
    park(State::paused);
}

std::uint64_t Block::meet(Meeting kind, unsigned mask, std::uint64_t value, int which) {
    const unsigned number = now_->number, lane = number & 31u, first = number & ~31u;
    Warp& w = warps_[number / 32];
    if ((mask >> lane & 1u) == 0) fail("a lane takes part that is not in the mask");
    if ((mask & w.gone) != 0) fail("the mask names a lane that has returned or never was");
    if (kind == Meeting::shuffle && (mask >> which & 1u) == 0)
        fail("a shuffle from a lane that is not in the mask");
    Gathering& g = w.under(mask);
    if (g.here == 0) g.kind = kind;
    if (g.kind != kind) fail("lanes of a warp meet in different operations");
    g.here |= 1u << lane;
    g.given[lane] = value;
    if (g.here != mask) {
        park(State::at_meeting);
        return g.result[which];
    }
    conclude(g);
    if (kind == Meeting::sync) order_lanes(first, mask);
    for_each_lane(mask & ~(1u << lane), [&](unsigned l) { make_ready(threads_[first + l]); });
    return g.result[which];
}

void Block::conclude(Gathering& g) {
    g.here = 0;
    const auto best = [&](auto zero, const auto& better) {
        using T = decltype(zero);
        T found = from_bits<T>(g.given[std::countr_zero(g.mask)]);
        for_each_lane(g.mask, [&](unsigned l) {
            const T v = from_bits<T>(g.given[l]);
            if (better(v, found)) found = v;
        });
        g.result[0] = to_bits(found);
    };
    switch (g.kind) {
        case Meeting::sync:
            break;
        case Meeting::shuffle:
            std::copy(g.given, g.given + 32, g.result);
            break;
        case Meeting::ballot:
            g.result[0] = 0;
            for_each_lane(g.mask, [&](unsigned l) { g.result[0] |= g.given[l] << l; });
            break;
        case Meeting::match:
            for_each_lane(g.mask, [&](unsigned l) {
                g.result[l] = 0;
                for_each_lane(g.mask, [&](unsigned k) {
                    g.result[l] |= std::uint64_t{g.given[k] == g.given[l]} << k;
                });
            });
            break;
        case Meeting::max_int:
            best(0, [](int a, int b) { return a > b; });
            break;
        case Meeting::min_int:
            best(0, [](int a, int b) { return a < b; });
            break;
        case Meeting::max_unsigned:
            best(0u, [](unsigned a, unsigned b) { return a > b; });
            break;
        case Meeting::min_unsigned:
            best(0u, [](unsigned a, unsigned b) { return a < b; });
            break;
    }
}

void Block::fail_stuck() const {
    const char* const names[] = {"not begun",    "ready",        "at __syncthreads",
                                 "in a meeting", "at mbarriers", "looking for a change",
                                 "returned"};
    int counts[7] = {};
    for (const Thread& t : threads_) ++counts[static_cast<int>(t.state)];
    std::string who;
    for (int k = 0; k < 7; ++k)
        if (counts[k] > 0)
            who += (who.empty() ? "" : ", ") + std::to_string(counts[k]) + " threads " + names[k];
    fail("a CUDA block cannot go on: " + who);
}

// ---- what kernels call

std::uint64_t meet(Meeting kind, unsigned mask, std::uint64_t value, int which) {
    return block().meet(kind, mask, value, which);
}
void sync_block() { block().sync(); }
void pause_thread() { block().pause(); }

// Below the phase stand how many arrivals make one, and how many are still to come; above it a mark
// that no memory has by chance.
namespace {
constexpr unsigned long long barrier_mark = 0x4b42;
struct BarrierWord {
    unsigned long long phase, expected, left;
};
BarrierWord read_barrier(const unsigned long long* at) {
    if (*at >> 48 != barrier_mark) fail("an mbarrier that was not initialised");
    return {*at >> 32 & 0xffff, *at >> 16 & 0xffff, *at & 0xffff};
}
void write_barrier(unsigned long long* at, const BarrierWord& b) {
    *at = barrier_mark << 48 | (b.phase & 0xffff) << 32 | b.expected << 16 | b.left;
}
}  // namespace

void mbarrier_init(unsigned long long* at, unsigned arrivals) {
    check_write(at, sizeof(*at));
    write_barrier(at, {0, arrivals, arrivals});
}
void mbarrier_arrive(unsigned long long* at) {
    check_atomic(at, sizeof(*at));
    release_to(at);
    BarrierWord b = read_barrier(at);
    if (--b.left == 0) b = {b.phase + 1, b.expected, b.expected};
    write_barrier(at, b);
}
void mbarrier_wait(unsigned long long* at, unsigned parity) {
    check_atomic(at, sizeof(*at));
    if ((read_barrier(at).phase & 1u) == parity) block().wait(at, parity);
    acquire_from(at);
}

}  // namespace knead::emulated
