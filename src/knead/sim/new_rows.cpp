#include "knead/sim/new_rows.h"

#include <stdexcept>

#include "knead/particles/edit_rows.h"
#include "knead/particles/point_grid.h"
#include "knead/particles/state_columns.h"

namespace knead {

template <class Real>
bool is_taken(const State<Real>& state, const std::vector<Vec3d>& points, double gap) {
    Vec3d lo = points[0], hi = points[0];
    for (const Vec3d& x : points) lo = min(lo, x), hi = max(hi, x);
    lo = lo - splat(gap), hi = hi + splat(gap);
    const PointGrid grid(points, std::vector<PointRef>(points.size()), gap);
    for (const auto& phase : state.phases)
        for (std::size_t i = 0; i < phase.particles.size(); ++i) {
            const Vec3d x = phase.particles.x.vec(i);
            if (x.x < lo.x || x.y < lo.y || x.z < lo.z || x.x > hi.x || x.y > hi.y || x.z > hi.z)
                continue;
            bool near = false;
            grid.for_each_within(x, gap,
                                 [&](std::uint32_t, std::uint32_t, double) { near = true; });
            if (near) return true;
        }
    return false;
}

template <class Real>
void add_rows(State<Real>& state, Phase<Real>& phase, const NewMatter& matter) {
    Particles<Real>& p = phase.particles;
    const std::size_t first = append_rows(phase, matter.points.size());
    const double mass = matter.density * matter.volume;
    for (std::size_t k = 0; k < matter.points.size(); ++k) {
        const std::size_t i = first + k;
        p.id.at(i) = state.next_id++;
        p.parent.at(i) = -1;
        p.body.at(i) = matter.body;
        p.x.set(i, matter.points[k]);
        p.v.set(i, static_cast<Vec3<Real>>(matter.velocities[k]));
        p.mass.at(i) = static_cast<Real>(mass);
        p.volume.at(i) = static_cast<Real>(matter.volume);
        if (p.grip.present()) p.grip.at(i) = -1;
        if (p.stuck.present()) p.stuck.at(i) = -1;
    }
    set_at_rest(p, first, p.size());
    state.totals["mass_in"] += mass * static_cast<double>(matter.points.size());
}

template <class Real>
Phase<Real>& phase_of(State<Real>& state, int material) {
    for (auto& phase : state.phases)
        if (phase.material == material && phase.is_volume()) return phase;
    throw std::logic_error("matter that enters has no phase");
}

template bool is_taken(const State<float>&, const std::vector<Vec3d>&, double);
template bool is_taken(const State<double>&, const std::vector<Vec3d>&, double);
template void add_rows(State<float>&, Phase<float>&, const NewMatter&);
template void add_rows(State<double>&, Phase<double>&, const NewMatter&);
template Phase<float>& phase_of(State<float>&, int);
template Phase<double>& phase_of(State<double>&, int);

}  // namespace knead
