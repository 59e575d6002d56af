// What surrounds matter, as a scene fixes it: obstacles, grips, pulls and gravity. How they act in
// a step is in surroundings.h (after a step) and constraints.h (inside a solve).
#pragma once

#include <string>
#include <vector>

#include "knead/base/step_report.h"
#include "knead/geometry/collider.h"

namespace knead {

// Holds the particles that start in a region, or those of a list, and carries them along a motion
// until it lets go.
struct Grip {
    std::string name;
    SdfShape region;
    Motion motion;
    double release = 0;                // [s]
    std::vector<std::int64_t> held{};  // ids in rising order; empty: what is in the region
};

// Pulls everything towards a point, the harder the farther away: a = -strength (x - center).
struct Pull {
    Vec3d center{0, 0, 0};
    double strength = 0;         // [1/s2]
    double start = 0, stop = 0;  // [s]
};

// The fixed part.
struct Scenery {
    std::vector<Collider> colliders;
    std::vector<Grip> grips;
    std::vector<Pull> pulls;
    Vec3d gravity{0, -9.81, 0};  // [m/s2]
};

// Limits from obstacles and grips: nothing crosses more than `reach` in a step.
std::vector<DtLimit> scenery_dt_limits(const Scenery& scenery, double time, double longest,
                                       double reach);

}  // namespace knead
