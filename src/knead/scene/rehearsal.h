// What a run will take, found by rehearsing it: its beginning as it is, and all of it coarser.
#pragma once

#include "knead/scene/build_model.h"

namespace knead {

struct Rehearsal {
    double steps = 0;    // of the whole run
    double seconds = 0;  // of wall time, with the threads of the moment
    double coarser = 1;  // it was rehearsed with so many times the dx; 1: as it is
    double share =
        1;  // of the scene's time that was rehearsed; the rest is taken as the last of it
};

// The beginning tells what a step takes; a coarse run of the whole, as fine as `seconds` of wall
// time allow, tells how step length, amount of matter and work change from there. Where none can be
// built, all is taken as at the beginning. It takes up to three times `seconds`, and a few steps at
// least.
template <class Real>
Rehearsal rehearse(const Scene& scene, Built<Real> built, double seconds = 5);

}  // namespace knead
