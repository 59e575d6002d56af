// What a solver tells the run loop about its steps.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace knead {

// One of the things that keep the step small.
struct DtLimit {
    std::string reason;  // "stiffness of jelly", "fastest particle", ...
    double dt;           // [s]
};

// How a step went. Numerical trouble is reported here, not thrown.
struct StepReport {
    bool ok = true;
    std::string stage;           // where it went wrong
    std::string what;            // and what it was
    std::int64_t particle = -1;  // id of the first particle concerned
};

// What one step leaves to the next besides the particles themselves. Part of every checkpoint.
struct StepMemory {
    double drift = 1e30;             // how far particles may be from where they were sorted
    double max_speed = -1;           // of the particles [m/s]; below 0: not known yet
    double healing_due = 0;          // time that healing has yet to account for [s]
    std::int64_t healing_steps = 0;  // and steps
    double resampling_due = 0;       // time since the last resampling [s]
    std::int64_t resampling_steps = 0;
    double resampling_strain = 0;  // that any matter may have undergone since
    double stable_dt = 0;          // of explicit point steps, as last measured [s]; 0: not yet
    double previous_dt = 0;   // of methods whose velocities lag half a step [s]; 0: the first step
    double least_normal = 1;  // smallest stretch across sheets and curves in the last step

    // visit(name, member) for every member.
    template <class Self, class Visit>
    static void for_each_member(Self& m, Visit&& visit) {
        visit("drift", m.drift);
        visit("max_speed", m.max_speed);
        visit("healing_due", m.healing_due);
        visit("healing_steps", m.healing_steps);
        visit("resampling_due", m.resampling_due);
        visit("resampling_steps", m.resampling_steps);
        visit("resampling_strain", m.resampling_strain);
        visit("stable_dt", m.stable_dt);
        visit("previous_dt", m.previous_dt);
        visit("least_normal", m.least_normal);
    }
};

// What a step needs of the run around it: where random numbers are, the next free particle id, and
// the running sums that statistics show.
struct StepContext {
    std::uint64_t seed;
    std::int64_t step;
    std::int64_t& next_id;
    std::map<std::string, double>& totals;
};

}  // namespace knead
