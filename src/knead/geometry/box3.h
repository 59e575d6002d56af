// An axis-aligned box; starts empty and grows.
#pragma once

#include "knead/math/vec.h"

namespace knead {

struct Box3 {
    static constexpr double huge = 1e30;  // stands for infinity, without its NaNs
    Vec3d lo{huge, huge, huge};
    Vec3d hi{-huge, -huge, -huge};

    static Box3 everything() { return {{-huge, -huge, -huge}, {huge, huge, huge}}; }
    bool empty() const { return lo.x > hi.x || lo.y > hi.y || lo.z > hi.z; }
    // Whether every side is finite; an empty box is.
    bool bounded() const {
        const double most = 0.1 * huge;
        return empty() || (lo.x > -most && lo.y > -most && lo.z > -most && hi.x < most &&
                           hi.y < most && hi.z < most);
    }
    void add(const Vec3d& p) { lo = min(lo, p), hi = max(hi, p); }
    void add(const Box3& b) { lo = min(lo, b.lo), hi = max(hi, b.hi); }
    void clip(const Box3& b) { lo = max(lo, b.lo), hi = min(hi, b.hi); }
    // Every side moved outwards by r, or inwards when r is negative.
    Box3 grown(double r) const { return {lo - splat(r), hi + splat(r)}; }
    bool contains(const Vec3d& p) const {
        return p.x >= lo.x && p.y >= lo.y && p.z >= lo.z && p.x <= hi.x && p.y <= hi.y &&
               p.z <= hi.z;
    }
    Vec3d center() const { return 0.5 * (lo + hi); }
    Vec3d size() const { return hi - lo; }
};

}  // namespace knead
