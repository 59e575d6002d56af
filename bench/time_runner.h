// How a workload is timed: medians of short stretches, in its first steps and once it has settled.
// A runner advances by some steps and says how many seconds that took.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "knead/base/random.h"
#include "knead/parallel/exec.h"
#include "workloads.h"

namespace knead::bench {

inline std::uint64_t hash_positions(const std::vector<Phase<float>>& phases) {
    std::uint64_t hash = 0;
    for (const auto& phase : phases)
        for (std::size_t i = 0; i < phase.particles.size(); ++i)
            for (int a = 0; a < 3; ++a) {
                std::uint64_t bits;
                std::memcpy(&bits, &phase.particles.x.at(i, a), sizeof(bits));
                hash = mix_bits(hash ^ bits);
            }
    return hash;
}

inline std::size_t count_particles(const std::vector<Phase<float>>& phases) {
    std::size_t n = 0;
    for (const auto& phase : phases) n += phase.particles.size();
    return n;
}

template <class Value>
Value median(std::vector<Value> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Of pairs that were timed one after the other.
inline double median_ratio(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
    return median(ratios);
}

// Times one runner for each number of threads, stretch by stretch in turns, and the first steps of
// others between them: where the speed of a shared machine changes from minute to minute it changes
// for all of them.
template <class MakeRunner>
std::vector<Timing> time_runners(const MakeRunner& make_runner, const Workload& w,
                                 const std::vector<Machine>& machines, int settle) {
    using Runner = std::remove_cvref_t<decltype(*make_runner())>;
    constexpr int rounds = 15, stretch = 10;  // so that most stretches hold a sort
    std::vector<std::unique_ptr<Runner>> runners;
    for (std::size_t k = 0; k < machines.size(); ++k) runners.push_back(make_runner());
    const auto n = static_cast<double>(count_particles(runners[0]->phases()));
    const auto rate = [n](Runner& runner, int steps) {
        return 1e-6 * n * steps / runner.advance(steps);
    };

    std::vector<std::map<std::string, double>> before(machines.size());
    for (std::size_t k = 0; k < machines.size(); ++k) {
        set_thread_count(machines[k].threads);
        runners[k]->advance(std::max(1, settle));
        for (const auto& [stage, seconds] : runners[k]->stages()) before[k][stage] = seconds;
    }
    std::vector<std::vector<double>> first(machines.size()), developed(machines.size());
    for (int i = 0; i < rounds; ++i)
        for (std::size_t k = 0; k < machines.size(); ++k) {
            set_thread_count(machines[k].threads);
            developed[k].push_back(rate(*runners[k], stretch));
            const auto fresh = make_runner();
            fresh->advance(2);
            first[k].push_back(rate(*fresh, 3));
        }

    std::vector<Timing> timings;
    for (std::size_t k = 0; k < machines.size(); ++k) {
        Timing t;
        t.workload = w.name;
        t.threads = machines[k].threads;
        t.particles = static_cast<std::int64_t>(n);
        t.first_rate = median(first[k]);
        t.developed_rate = median(developed[k]);
        t.lead = median_ratio(first[k], developed[k]);
        t.speedup = median_ratio(developed[k], developed[0]);
        t.stages = runners[k]->stages();
        double total = 0;
        for (auto& [stage, seconds] : t.stages) total += seconds -= before[k][stage];
        for (auto& [stage, seconds] : t.stages) seconds /= total;
        t.bytes = runners[k]->least_bytes();
        t.bandwidth = machines[k].bandwidth;
        t.hash = hash_positions(runners[k]->phases());
        timings.push_back(t);
    }
    return timings;
}

}  // namespace knead::bench
