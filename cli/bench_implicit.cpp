#include "bench_implicit.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "implicit_cost.h"
#include "knead/parallel/exec.h"

namespace knead::cli {

namespace {

nlohmann::json to_json(const bench::ImplicitCost& c) {
    nlohmann::json stages = nlohmann::json::object();
    for (const auto& [stage, share] : c.stages) stages[stage] = share;
    return {{"workload", "implicit"},
            {"threads", c.threads},
            {"particles", c.particles},
            {"young_modulus", c.young},
            {"preconditioner", c.preconditioner},
            {"million_particle_steps_a_second", c.steps_rate},
            {"iterations_a_step", c.iterations},
            {"million_particle_iterations_a_second", c.iterations_rate},
            {"share_of_copy_bandwidth", c.bandwidth_share()},
            {"stages", stages}};
}

void print(const bench::ImplicitCost& c) {
    std::printf("%7d %9lld %8.0e %-12s %8.3f %8.1f %9.2f %8.0f%% ", c.threads,
                static_cast<long long>(c.particles), c.young, c.preconditioner.c_str(),
                c.steps_rate, c.iterations, c.iterations_rate, 100 * c.bandwidth_share());
    for (const auto& [stage, share] : c.stages)
        if (share > 0.005) std::printf("  %s %.0f%%", stage.c_str(), 100 * share);
    std::printf("\n");
    std::fflush(stdout);
}

}  // namespace

int bench_implicit(int threads, int particles, bool json) {
    const int cores = threads > 0 ? threads : thread_count();
    nlohmann::json rows = nlohmann::json::array();
    if (!json)
        std::printf(
            "implicit method, steps of 2 ms; million particle-steps a second, iterations a step, "
            "million\nparticle-iterations a second, their share of the copy bandwidth\n"
            "%7s %9s %8s %-12s %8s %8s %9s %9s\n",
            "threads", "particles", "E [Pa]", "", "Mps/s", "iter", "Mpi/s", "copy");
    const auto measure = [&](int count, int size, double young, Preconditioner p) {
        const auto cost = bench::implicit_cost(count, size, young, p);
        rows.push_back(to_json(cost));
        if (!json) print(cost);
    };
    constexpr auto plain = Preconditioner::mass, blocks = Preconditioner::block_jacobi,
                   two_level = Preconditioner::two_level;
    for (int count = 1; count <= cores; count += std::max(1, cores - 1))
        measure(count, particles > 0 ? particles : 40000, 1e5, blocks);
    for (const Preconditioner p : {plain, blocks, two_level})
        measure(cores, particles > 0 ? particles : 5000, 1e8, p);
    std::vector<int> sizes{5000, 200000};
    if (particles > 0) sizes = {particles};
    for (const int size : sizes)
        for (const Preconditioner p : {blocks, two_level}) measure(cores, size, 1e7, p);
    if (json) std::printf("%s\n", rows.dump(2).c_str());
    return 0;
}

}  // namespace knead::cli
