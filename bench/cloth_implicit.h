// Explicit and implicit steps side by side, on the scenes whose stiffness asks for the smallest
// steps: a knitted swatch that is pulled, and sand thrown at a curtain [Jiang 2017, Figs. 15, 19].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace knead::bench {

struct ClothImplicit {
    std::string scene;
    bool implicit = false;
    std::int64_t particles = 0;
    double dt = 0;         // [s]
    double seconds = 0;    // of work for a simulated second
    double step_rate = 0;  // million particle-steps a second
    double newton = 0;     // iterations a step
    double minres = 0;     // iterations a step
    double limits = 0;     // solves that ended before they were done
};

// Two rows a scene: explicit at its own longest step, implicit at `times` that.
std::vector<ClothImplicit> cloth_implicit(int threads, double times);

}  // namespace knead::bench
