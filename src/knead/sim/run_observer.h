// Who hears how a run goes.
#pragma once

#include <string>

#include "knead/sim/preflight.h"
#include "knead/sim/run_clock.h"
#include "knead/sim/statistics.h"

namespace knead {

// Nothing it does changes the run.
class RunObserver {
public:
    virtual ~RunObserver() = default;
    virtual void started(const Preflight&) {}
    virtual void substep(const Progress&) {}
    virtual void frame(const FrameStatistics&, const Progress&) {}
    virtual void trouble(const std::string&) {}  // overcome, but worth a line
};

}  // namespace knead
