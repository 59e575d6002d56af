// Where a run stands, and how long it takes by the clock on the wall.
#pragma once

#include <chrono>
#include <cstdint>

#include "knead/sim/model.h"
#include "knead/sim/state.h"

namespace knead {

struct Progress {
    int frame = 0;    // completed
    int frames = 0;   // wanted
    double time = 0;  // [s]
    double dt = 0;    // the last one [s]
    std::int64_t step = 0;
    std::int64_t frame_substeps = 0;  // of the frame in progress
    double frame_share = 0;           // how much of it is done, 0..1
    std::size_t particles = 0;
    double seconds = 0;        // of wall time since the start
    double seconds_left = -1;  // below 0: not known yet
};

class Stopwatch {
public:
    void restart() { start_ = Clock::now(); }
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

class RunClock {
public:
    // `time` and `step` of the simulation when this process took over.
    RunClock(double time, std::int64_t step) : start_time_(time), start_step_(step) {}

    void first_frame_begins() { loop_.restart(); }
    void frame_begins() { frame_.restart(); }
    double seconds() const { return all_.seconds(); }
    double frame_seconds() const { return frame_.seconds(); }

    // `end` is that of the frame in progress [s].
    template <class Real>
    Progress progress(const Model& model, const State<Real>& state, int frames, double dt,
                      double end) const {
        Progress p;
        p.frame = state.frame;
        p.frames = frames;
        p.time = state.time;
        p.dt = dt;
        p.step = state.step;
        p.frame_substeps = state.step - state.frame_start_step;
        p.particles = state.particle_count();
        const double length = end - state.frame_start;
        p.frame_share = length > 0 ? (state.time - state.frame_start) / length : 0;
        p.seconds = all_.seconds();
        // A few substeps tell what the rest will take.
        const double done = state.time - start_time_;
        const double left = frames / model.time.frame_rate - state.time;
        if (done > 0 && state.step >= start_step_ + 10)
            p.seconds_left = loop_.seconds() * (left > 0 ? left : 0) / done;
        return p;
    }

private:
    double start_time_;
    std::int64_t start_step_;
    Stopwatch all_, loop_, frame_;
};

}  // namespace knead
