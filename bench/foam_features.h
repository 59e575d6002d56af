// What tearing, healing, removal and resampling cost: the same foam with all of them and with none,
// in one run.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace knead::bench {

struct FeatureCost {
    int threads = 1;
    std::int64_t particles = 0;
    std::int64_t torn = 0;      // at the end
    std::int64_t inserted = 0;  // and since the start
    std::int64_t removed = 0;
    double dt = 0;                                       // [s]
    double plain = 0;                                    // seconds a step with no feature
    double torn_step = 0;                                // with all but resampling
    double resampling = 0;                               // seconds a resampling
    std::vector<std::pair<std::string, double>> stages;  // share of the time with features

    // Steps from one resampling to the next: the paper's 0.5 ms, or longer where matter that
    // strains at the given rate [1/s] has not strained enough by then.
    double steps_between(double strain_rate) const;
    // What the features take of a step, resampling amortised.
    double share(double strain_rate) const {
        return 1 - plain / (torn_step + resampling / steps_between(strain_rate));
    }
};

// A block of shaving cream the size of the paper's dollop, drawn out and partly torn.
FeatureCost foam_features(int threads, std::int64_t particles);

}  // namespace knead::bench
