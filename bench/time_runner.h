// How a runner is timed: medians of short stretches, in its first steps and once it has settled. A
// runner advances by some steps and says how many seconds that took.
#pragma once

#include <algorithm>
#include <cstring>

#include "knead/base/random.h"
#include "workloads.h"

namespace knead::bench {

inline std::uint64_t hash_positions(const Particles<float>& p) {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        for (int a = 0; a < 3; ++a) {
            std::uint64_t bits;
            std::memcpy(&bits, &p.x.at(i, a), sizeof(bits));
            hash = mix_bits(hash ^ bits);
        }
    return hash;
}

template <class Runner>
Timing time_runner(Runner& runner, const Workload& w, int threads, int settle, double bytes,
                   double bandwidth) {
    const auto n = static_cast<double>(runner.particles().size());
    Timing t;
    t.workload = w.name;
    t.threads = threads;
    t.particles = static_cast<std::int64_t>(runner.particles().size());

    // Medians of short stretches.
    const auto median_rate = [&](int stretches, int steps) {
        std::vector<double> rates;
        for (int i = 0; i < stretches; ++i)
            rates.push_back(1e-6 * n * steps / runner.advance(steps));
        std::nth_element(rates.begin(), rates.begin() + stretches / 2, rates.end());
        return rates[static_cast<std::size_t>(stretches / 2)];
    };
    runner.advance(2);
    t.first_rate = median_rate(5, 3);
    runner.advance(std::max(0, settle - 17));
    const auto before = runner.profile().stages();
    t.developed_rate = median_rate(5, 8);
    auto after = runner.profile().stages();
    double total = 0;
    for (std::size_t i = 0; i < after.size(); ++i) total += after[i].second -= before[i].second;
    for (auto& [stage, seconds] : after) t.stages.emplace_back(stage, seconds / total);

    t.bytes = bytes;
    t.bound_rate = 1e-6 * bandwidth / t.bytes;
    t.hash = hash_positions(runner.particles());
    return t;
}

}  // namespace knead::bench
