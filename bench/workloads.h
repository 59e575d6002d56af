// The benchmark: a block of matter at 8 particles a cell dropped on the floor, timed in its first
// steps and once it has landed, beside the memory bandwidth of the same machine in the same run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "knead/mpm/settings.h"

namespace knead::bench {

struct Workload {
    std::string name;      // "jelly"
    std::string detail;    // "fixed corotated, quadratic APIC"
    std::string material;  // preset
    int kernel = 2;
    bool flip = false;
    double target = 0;  // million particle-steps a second on one core, developed
};

struct Timing {
    std::string workload;
    int threads = 1;
    std::int64_t particles = 0;
    double first_rate = 0;      // million particle-steps/s, first steps
    double developed_rate = 0;  // and 350 steps in
    double lead = 1;            // of the first steps over the developed, timed in turns
    double speedup = 1;         // over one thread, developed, timed in turns
    double bytes = 0;           // a particle a step, the least that must move
    double bandwidth = 0;       // of a copy with as many threads [bytes/s]
    std::uint64_t hash = 0;     // of all positions at the end: equal for every thread count
    std::vector<std::pair<std::string, double>> stages;  // share of the time, developed

    // What those bytes allow at that bandwidth.
    double bound_rate() const { return 1e-6 * bandwidth / bytes; }
};

// A number of threads, and what a copy moves with them [bytes/s].
struct Machine {
    int threads = 1;
    double bandwidth = 0;
};

const std::vector<Workload>& workloads();
MpmSettings settings_of(const Workload& workload);

// Bytes a second that a copy moves, read plus written, with this many threads.
double copy_bandwidth(int threads);

// Runs one workload with each number of threads; `settle` steps come before the developed timing.
std::vector<Timing> run_workload(const Workload& workload, const std::vector<Machine>& machines,
                                 std::int64_t particles, int settle);

// The same block on the GPU.
struct GpuTiming {
    std::string workload;
    std::int64_t particles = 0;
    double first_ms = 0;      // a step, from the first one on
    double developed_ms = 0;  // and once it has landed
    double bytes = 0;         // a particle a step, the least that must move
    double memory = 0;        // of the GPU [bytes]
    std::vector<std::pair<std::string, double>> stages;  // share of the time, developed
};
const std::vector<Workload>& gpu_workloads();
GpuTiming run_on_gpu(const Workload& workload, std::int64_t particles, int settle);

}  // namespace knead::bench
