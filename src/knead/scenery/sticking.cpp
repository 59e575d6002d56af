#include "knead/scenery/sticking.h"

#include <algorithm>
#include <cmath>

#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr double touching = 0.6;  // of the spacing, a little more than half of it

}  // namespace

bool any_can_stick(const std::vector<Collider>& colliders) {
    return std::any_of(colliders.begin(), colliders.end(), can_stick);
}

template <class Real>
void stick_at_start(const std::vector<Collider>& colliders, double time, double spacing,
                    std::vector<Phase<Real>>& phases) {
    if (!any_can_stick(colliders)) return;
    for (auto& phase : phases) {
        Particles<Real>& p = phase.particles;
        p.stuck.create(p.size(), -1);
        for (std::size_t c = 0; c < colliders.size(); ++c) {
            if (!can_stick(colliders[c])) continue;
            const ColliderAt at(colliders[c], time);
            for_each(p.size(), 256, [&](std::size_t i) {
                const double own = std::cbrt(static_cast<double>(p.volume.at(i)));
                if (at.distance(p.x.vec(i)) < touching * std::min(spacing, own))
                    p.stuck.at(i) = static_cast<std::int32_t>(c);
            });
        }
    }
}

template void stick_at_start(const std::vector<Collider>&, double, double,
                             std::vector<Phase<float>>&);
template void stick_at_start(const std::vector<Collider>&, double, double,
                             std::vector<Phase<double>>&);

}  // namespace knead
