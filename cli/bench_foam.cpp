#include "bench_foam.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "foam_features.h"
#include "knead/parallel/exec.h"

namespace knead::cli {

namespace {

// Strain rates of the fastest matter: flowing, and hitting the ground [1/s].
constexpr double flow_rate = 100, impact_rate = 400;

nlohmann::json to_json(const bench::FeatureCost& c) {
    nlohmann::json stages = nlohmann::json::object();
    for (const auto& [stage, share] : c.stages) stages[stage] = share;
    return {{"workload", "foam-features"},
            {"threads", c.threads},
            {"particles", c.particles},
            {"torn", c.torn},
            {"inserted", c.inserted},
            {"removed", c.removed},
            {"seconds_a_plain_step", c.plain},
            {"seconds_a_torn_step", c.torn_step},
            {"seconds_a_resampling", c.resampling},
            {"share", c.share(flow_rate)},
            {"largest_share", c.share(impact_rate)},
            {"stages", stages}};
}

void print(const bench::FeatureCost& c) {
    std::printf(
        "%d threads, %lld particles, %lld torn, %lld inserted, %lld removed\n"
        "  a step without any feature %.1f ms; with tearing, healing and removal %.1f ms; a "
        "resampling %.0f ms\n",
        c.threads, static_cast<long long>(c.particles), static_cast<long long>(c.torn),
        static_cast<long long>(c.inserted), static_cast<long long>(c.removed), 1e3 * c.plain,
        1e3 * c.torn_step, 1e3 * c.resampling);
    for (const double rate : {flow_rate, impact_rate})
        std::printf(
            "  straining at %.0f /s, resampled every %.0f steps: the features take %.1f %% of "
            "the step\n",
            rate, c.steps_between(rate), 100 * c.share(rate));
    std::fflush(stdout);
}

}  // namespace

int bench_foam_features(int threads, int particles, bool json) {
    const int cores = threads > 0 ? threads : thread_count();
    nlohmann::json rows = nlohmann::json::array();
    for (int count = 1; count <= cores; count += std::max(1, cores - 1)) {
        const auto cost = bench::foam_features(count, particles > 0 ? particles : 1 << 20);
        rows.push_back(to_json(cost));
        if (!json) print(cost);
    }
    if (json) std::printf("%s\n", rows.dump(2).c_str());
    return 0;
}

}  // namespace knead::cli
