// The matter that benchmarks drop, a cube of particles, eight a cell, and the floor under it.
#pragma once

#include <cstdint>

#include "knead/geometry/collider.h"
#include "knead/particles/phase.h"

namespace knead::bench {

// A cube of n particles, one cell above the floor, falling at 1 m/s.
Phase<float> falling_block(std::int64_t n, double dx, double density);

// The plane y = 0, friction 0.5.
Collider bench_floor();

}  // namespace knead::bench
