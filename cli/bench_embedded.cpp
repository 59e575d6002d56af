#include "bench_embedded.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "embedded_cost.h"
#include "knead/parallel/exec.h"

namespace knead::cli {

namespace {

nlohmann::json to_json(const bench::EmbeddedCost& c) {
    nlohmann::json stages = nlohmann::json::object();
    for (const auto& [stage, share] : c.stages) stages[stage] = share;
    return {{"workload", "embedded"},
            {"threads", c.threads},
            {"particles", c.particles},
            {"microseconds_a_particle_step", c.microseconds},
            {"embedding_iterations_a_step", c.iterations},
            {"links_changed_a_particle_step", c.links_changed},
            {"stages", stages}};
}

void print(const bench::EmbeddedCost& c) {
    std::printf("%7d %9lld %8.2f %7.0f%% %8.1f %8.3f ", c.threads,
                static_cast<long long>(c.particles), c.microseconds, 100 * c.share("embed"),
                c.iterations, c.links_changed);
    for (const auto& [stage, share] : c.stages)
        if (share > 0.005) std::printf("  %s %.0f%%", stage.c_str(), 100 * share);
    std::printf("\n");
    std::fflush(stdout);
}

}  // namespace

int bench_embedded(int threads, int particles, bool json) {
    const int cores = threads > 0 ? threads : thread_count();
    std::vector<int> sizes{5000, 50000, 500000};
    if (particles > 0) sizes = {particles};
    nlohmann::json rows = nlohmann::json::array();
    if (!json)
        std::printf(
            "embedded method, every particle flowing; us a particle-step, share of the embedding "
            "solve,\nits iterations a step, links changed a particle-step\n%7s %9s %8s %8s %8s "
            "%8s\n",
            "threads", "particles", "us", "solve", "iter", "links");
    for (int count = 1; count <= cores; count += std::max(1, cores - 1))
        for (const int size : sizes) {
            const auto cost = bench::embedded_cost(count, size);
            rows.push_back(to_json(cost));
            if (!json) print(cost);
        }
    if (json) std::printf("%s\n", rows.dump(2).c_str());
    return 0;
}

}  // namespace knead::cli
