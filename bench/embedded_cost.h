// What a step of the embedded method costs at several sizes: a block of clay without yield stress
// that is drawn out evenly, so that every particle flows in every step.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace knead::bench {

struct EmbeddedCost {
    int threads = 1;
    std::int64_t particles = 0;
    double microseconds = 0;                             // a particle a step, median
    double iterations = 0;                               // of the embedding solve, a step
    double links_changed = 0;                            // a particle a step
    std::vector<std::pair<std::string, double>> stages;  // share of the time

    double share(const std::string& stage) const;
};

EmbeddedCost embedded_cost(int threads, std::int64_t particles);

}  // namespace knead::bench
