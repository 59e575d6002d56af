// What a step of the implicit method costs: a block of elastic matter at 1e5 Pa on the ground,
// about 80 neighbours, steps of 2 ms; and its solve alone, by iterations.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "knead/points/implicit/settings.h"

namespace knead::bench {

struct ImplicitCost {
    int threads = 1;
    std::int64_t particles = 0;
    double young = 0;                                    // [Pa]
    std::string preconditioner;                          // "plain": by the mass alone
    double steps_rate = 0;                               // million particle-steps a second
    double iterations = 0;                               // a step
    double iterations_rate = 0;                          // million particle-iterations a second
    double bytes = 0;                                    // that an iteration must move, a particle
    double bandwidth = 0;                                // of a copy [bytes/s]
    std::vector<std::pair<std::string, double>> stages;  // share of the time

    double bandwidth_share() const {
        return bandwidth > 0 ? 1e6 * iterations_rate * bytes / bandwidth : 0;
    }
};

ImplicitCost implicit_cost(int threads, std::int64_t particles, double young,
                           Preconditioner preconditioner);

}  // namespace knead::bench
