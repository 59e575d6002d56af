// When particles heal, slivers are removed and voids filled: counted step by step, for the CPU,
// which asks after every step, and for the GPU, which plans its batches by it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "knead/base/step_report.h"
#include "knead/mpm/settings.h"

namespace knead {

// Slivers go before the first step, and before the step after every healing.
inline bool slivers_are_due(const MpmSettings& s, const StepMemory& memory) {
    return s.removes_slivers() && memory.healing_steps == 0;
}

// Counts a step. The time for which particles heal now [s]; 0: they do not. Healing is exact for
// any time, so it is done every few steps for all of them.
inline double count_to_healing(const MpmSettings& s, StepMemory& memory, double dt) {
    if (!s.tearing) return 0;
    memory.healing_due += dt;
    if (++memory.healing_steps < s.healing_interval) return 0;
    memory.healing_steps = 0;
    const double due = std::exchange(memory.healing_due, 0.0);
    return s.healing ? due : 0;
}

inline constexpr std::int64_t steps_between_resamplings = 50;  // where the scene names no interval

// Counts a step in which matter strained by so much. Whether voids are filled now.
inline bool count_to_resampling(const MpmSettings& s, StepMemory& memory, double dt,
                                double strain) {
    memory.resampling_strain += strain;
    memory.resampling_due += dt;
    ++memory.resampling_steps;
    const bool late_enough = s.resampling_interval > 0
                                 ? memory.resampling_due >= s.resampling_interval
                                 : memory.resampling_steps >= steps_between_resamplings;
    if (!s.resampling || !late_enough || memory.resampling_strain < s.resampling_strain)
        return false;
    memory.resampling_due = memory.resampling_strain = 0;
    memory.resampling_steps = 0;
    return true;
}

// How many steps surely come before slivers are due, or voids: at least one. `strain` is that of a
// step of late; matter may come to strain twice as fast.
inline std::int64_t steps_before_edits(const MpmSettings& s, const StepMemory& memory, double dt,
                                       double strain) {
    double steps = 1e6;
    if (s.removes_slivers()) steps = static_cast<double>(s.healing_interval - memory.healing_steps);
    if (s.resampling) {
        const double by_time =
            s.resampling_interval > 0
                ? std::ceil((s.resampling_interval - memory.resampling_due) / dt - 1e-9)
                : static_cast<double>(steps_between_resamplings - memory.resampling_steps);
        const double left = s.resampling_strain - memory.resampling_strain;
        const double by_strain = std::ceil(left / std::max(2 * strain, 1e-9));
        steps = std::min(steps, std::max(by_time, by_strain));
    }
    return static_cast<std::int64_t>(std::max(1.0, steps));
}

}  // namespace knead
