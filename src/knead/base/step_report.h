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

}  // namespace knead
