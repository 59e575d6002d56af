// Runs the threads of one CUDA block: each goes on until it must wait for others. A warp's lanes go
// on as far as they can before the next warp has its turn. Wrong meetings end the program.
#pragma once

#include <cstdint>
#include <vector>

#include "knead/cuda/emulated/device_api.h"
#include "knead/cuda/emulated/fibre.h"
#include "knead/cuda/emulated/kernel.h"

namespace knead::emulated {

class Block {
public:
    // All threads of the CUDA block that blockIdx says, from beginning to end.
    void run(const Kernel& kernel);

    // Called by the thread that runs.
    std::uint64_t meet(Meeting kind, unsigned mask, std::uint64_t value, int which);
    void sync();
    void wait(const unsigned long long* mbarrier, unsigned parity);
    void pause();

private:
    enum class State { fresh, ready, at_barrier, at_meeting, at_mbarrier, paused, returned };
    struct Thread {
        State state = State::fresh;
        unsigned number = 0;
        Fibre* fibre = nullptr;
        const unsigned long long* mbarrier = nullptr;
        unsigned parity = 0;
    };
    // Lanes that come together under one mask.
    struct Gathering {
        unsigned mask = 0, here = 0;
        Meeting kind{};
        std::uint64_t given[32], result[32];
    };
    struct Warp {
        std::vector<Gathering> gatherings;
        unsigned gone = 0;   // lanes that have returned, or never were
        unsigned ready = 0;  // lanes that can go on
        Gathering& under(unsigned mask);
    };

    void prepare(std::size_t threads);
    bool run_warp(std::size_t warp);
    void wake_at_mbarriers(std::size_t warp);
    void wake_paused();
    void enter(Thread& thread);
    void resume(Thread& thread);
    void retire(Thread& thread);
    void park(State why);
    void make_ready(Thread& thread);
    void open_barrier();
    static void conclude(Gathering& gathering);
    [[noreturn]] void fail_stuck() const;
    static void thread_entry();

    Warp& warp_of(const Thread& t) { return warps_[t.number / 32]; }

    const Kernel* kernel_ = nullptr;
    std::vector<Thread> threads_;
    std::vector<Warp> warps_;
    FibrePool fibres_;
    Thread* now_ = nullptr;
    std::size_t alive_ = 0, at_barrier_ = 0, at_mbarriers_ = 0, paused_ = 0;
};

// The one that runs.
Block& block();

}  // namespace knead::emulated
