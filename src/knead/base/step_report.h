// What a solver tells the run loop about its steps.
#pragma once

#include <cstdint>
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
    double drift = 1e30;             // cells that particles may have moved since the last sort
    double max_speed = -1;           // of the particles [m/s]; below 0: not known yet
    double healing_due = 0;          // time that healing has yet to account for [s]
    std::int64_t healing_steps = 0;  // steps since the last healing
    double resampling_due = 0;       // time since the last resampling [s]
    std::int64_t resampling_steps = 0;
    double resampling_strain = 0;  // largest strain since then
};

}  // namespace knead
