// An axis-aligned box; starts empty and grows.
#pragma once

#include "knead/math/vec.h"

namespace knead {

struct Box3 {
    Vec3d lo{1e30, 1e30, 1e30};
    Vec3d hi{-1e30, -1e30, -1e30};
    bool empty() const { return lo.x > hi.x; }
    void add(const Vec3d& p) { lo = min(lo, p), hi = max(hi, p); }
    void add(const Box3& b) { lo = min(lo, b.lo), hi = max(hi, b.hi); }
    Vec3d center() const { return 0.5 * (lo + hi); }
    Vec3d size() const { return hi - lo; }
};

}  // namespace knead
