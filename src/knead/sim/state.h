// State: what a step changes and a checkpoint holds. Nothing else influences the future of a run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "knead/base/step_report.h"
#include "knead/geometry/rigid_body.h"
#include "knead/mpm/implicit/node_kicks.h"
#include "knead/particles/phase.h"

namespace knead {

// Where a stream stands.
struct StreamState {
    double due = 0;             // when the next slice comes, or is tried again [s]
    double blocked_since = -1;  // that slice waits for its place since then [s]; -1: it does not
    double held = 0;            // above 0: its drive stands still for so many periods, since matter
                                // presses back; below 0: so many it stood still of late

    bool operator==(const StreamState&) const = default;
};

template <class Real>
struct State {
    double time = 0;         // [s]
    std::int64_t step = 0;   // substeps taken since the start
    int frame = 0;           // frames completed
    double frame_start = 0;  // time at which the frame in progress began [s]
    double dt_scale = 1;     // halved by every roll-back, grown back over the following frames
    StepMemory memory;
    std::int64_t next_id = 0;
    std::int64_t frame_start_step = 0;     // `step` when the frame in progress began
    std::map<std::string, double> totals;  // the method's own running sums, such as plastic work
    std::vector<std::int64_t> emitted;     // copies that each emitter has let out
    std::vector<StreamState> streams;
    std::vector<double> sinks;      // when each acts next [s]
    std::vector<RigidState> rigid;  // of colliders, where a method moves them
    NodeKicks<Real> kicks;          // of implicit steps on the grid
    std::vector<Phase<Real>> phases;

    std::size_t particle_count() const {
        std::size_t n = 0;
        for (const auto& phase : phases) n += phase.particles.size();
        return n;
    }
};

}  // namespace knead
