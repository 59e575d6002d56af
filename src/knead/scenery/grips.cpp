#include "knead/scenery/grips.h"

#include <algorithm>

#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr std::size_t part = 256;  // particles a task

bool holds(const Grip& grip, std::int64_t id, const Vec3d& x) {
    if (grip.held.empty()) return grip.region.distance(x) <= 0;
    return std::binary_search(grip.held.begin(), grip.held.end(), id);
}

// Grips of vertices leave volumes alone, which may then come and go.
bool hold_volumes(const std::vector<Grip>& grips) {
    return std::any_of(grips.begin(), grips.end(), [](const Grip& g) { return g.held.empty(); });
}

Mat3d spin_of(const Vec3d& w) { return {0, -w.z, w.y, w.z, 0, -w.x, -w.y, w.x, 0}; }

}  // namespace

template <class Real>
void take_hold(const std::vector<Grip>& grips, std::vector<Phase<Real>>& phases) {
    if (grips.empty()) return;
    for (auto& phase : phases) {
        Particles<Real>& p = phase.particles;
        if (phase.is_volume() && !hold_volumes(grips)) continue;
        p.grip.create(p.size(), -1);
        if (phase.kind == PhaseKind::elements) continue;  // they follow their vertices
        for_each(p.size(), part, [&](std::size_t i) {
            for (std::size_t g = 0; g < grips.size(); ++g)
                if (holds(grips[g], p.id.at(i), p.x.vec(i)))
                    p.grip.at(i) = static_cast<std::int32_t>(g);
        });
    }
}

template <class Real>
void take_hold_at_rest(const std::vector<Grip>& grips, std::vector<Phase<Real>>& phases) {
    take_hold(grips, phases);
    if (grips.empty()) return;
    for (auto& phase : phases) {
        Particles<Real>& p = phase.particles;
        if (!p.grip.present()) continue;
        p.rest_x.create(p.size());
        for_each(p.size(), part, [&](std::size_t i) { p.rest_x.set(i, p.x.vec(i)); });
    }
}

std::vector<Carry> carries(const std::vector<Grip>& grips, double time, double dt) {
    std::vector<Carry> all;
    for (const Grip& g : grips)
        all.push_back(
            {g.motion.pose(time), g.motion.pose(time + dt), g.motion.pivot, time < g.release});
    return all;
}

template <class Real>
double carry_held(const std::vector<Grip>& grips, double time, std::vector<Phase<Real>>& phases) {
    struct At {
        Pose pose;
        Twist twist;
        Vec3d pivot;
        bool holds;
    };
    std::vector<At> now;
    for (const Grip& g : grips)
        now.push_back(
            {g.motion.pose(time), g.motion.twist(time), g.motion.pivot, time < g.release});
    double farthest = 0;
    for (auto& phase : phases) {
        Particles<Real>& p = phase.particles;
        if (!p.grip.present()) continue;
        farthest = reduce(
            p.size(), farthest,
            [&](std::size_t i) {
                if (p.grip.at(i) < 0) return 0.0;
                const At& g = now[static_cast<std::size_t>(p.grip.at(i))];
                if (!g.holds) return 0.0;
                const Vec3d before = p.x.vec(i), x = from_rest(g.pose, g.pivot, p.rest_x.vec(i));
                p.x.set(i, x);
                p.v.set(i, static_cast<Vec3<Real>>(velocity_at(g.twist, g.pose, x)));
                if (p.C.present()) p.C.set(i, static_cast<Mat3<Real>>(spin_of(g.twist.angular)));
                return length(x - before);
            },
            [](double a, double b) { return std::max(a, b); });
    }
    return farthest;
}

#define INSTANTIATE(Real)                                                                 \
    template void take_hold(const std::vector<Grip>&, std::vector<Phase<Real>>&);         \
    template void take_hold_at_rest(const std::vector<Grip>&, std::vector<Phase<Real>>&); \
    template double carry_held(const std::vector<Grip>&, double, std::vector<Phase<Real>>&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
