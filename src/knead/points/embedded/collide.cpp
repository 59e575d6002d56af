// collide: particles that ended a step inside an obstacle are put on its surface, with the velocity
// that contact leaves them.
#include "knead/parallel/exec.h"
#include "knead/points/embedded/stages.h"

namespace knead {

template <class Real>
void collide(Phase<Real>& phase, std::span<const ColliderAt> colliders) {
    Particles<Real>& p = phase.particles;
    if (colliders.empty()) return;
    for_each(p.size(), 1024, [&](std::size_t i) {
        const Vec3d x = p.x.vec(i);
        bool inside = false;
        for (const ColliderAt& c : colliders) inside = inside || c.distance(x) < 0;
        if (!inside) return;
        const Vec3d v = static_cast<Vec3d>(p.v.vec(i));
        p.v.set(i, static_cast<Vec3<Real>>(resolve_all(colliders, v, x)));
        p.x.set(i, project_out(colliders, x));
    });
}

template void collide(Phase<float>&, std::span<const ColliderAt>);
template void collide(Phase<double>&, std::span<const ColliderAt>);

}  // namespace knead
