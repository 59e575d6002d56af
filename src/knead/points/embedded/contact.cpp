#include "knead/points/embedded/contact.h"

#include <cmath>

#include "knead/parallel/compact.h"
#include "knead/particles/point_grid.h"

namespace knead {

namespace {

constexpr double stiffness_share = 0.5;  // of the pressure wave modulus
constexpr double damping_share = 0.2;    // of critical damping

// A surface particle.
struct Touch {
    PointRef ref;
    Vec3d x, v, e;
    double support, spacing, mass, modulus;
    std::int32_t body;
};

template <class Real>
std::vector<Touch> surface_particles(const std::vector<Phase<Real>>& phases,
                                     const std::vector<StretchLaw<Real>>& laws,
                                     const std::vector<EmbeddedWorkspace<Real>>& work) {
    std::vector<Touch> all;
    for (std::size_t k = 0; k < phases.size(); ++k) {
        const Particles<Real>& p = phases[k].particles;
        const StretchLaw<Real>& law = laws[static_cast<std::size_t>(phases[k].material)];
        const double modulus = static_cast<double>(law.density) * law.wave_speed * law.wave_speed;
        const auto rows = compact(p.size(), [&](std::size_t i) { return work[k].surface[i] != 0; });
        for (const std::uint32_t i : rows)
            all.push_back({{static_cast<std::uint32_t>(k), i},
                           p.x.vec(i),
                           static_cast<Vec3d>(p.v.vec(i)),
                           p.e.vec(i),
                           static_cast<double>(p.support.at(i)),
                           std::cbrt(static_cast<double>(p.volume.at(i))),
                           static_cast<double>(p.mass.at(i)),
                           modulus,
                           p.body.at(i)});
    }
    return all;
}

// Of other matter: another body, or out of each other's support in embedded space.
bool are_strangers(const Touch& a, const Touch& b) {
    if (a.body != b.body) return true;
    const double h = std::max(a.support, b.support);
    return length_squared(a.e - b.e) > h * h;
}

// The force on a from b, minus that on b from a.
Vec3d push(const Touch& a, const Touch& b, double friction, double dt) {
    const Vec3d x = a.x - b.x;
    const double distance = length(x), spacing = 0.5 * (a.spacing + b.spacing);
    if (distance >= spacing || !(distance > 0)) return splat(0.0);
    const Vec3d n = x / distance, v = a.v - b.v;
    const double mass = a.mass * b.mass / (a.mass + b.mass);
    const double stiffness = stiffness_share * std::min(a.modulus, b.modulus) * spacing;
    const double approach = dot(v, n);
    const double normal =
        std::max(0.0, stiffness * (spacing - distance) -
                          2 * damping_share * std::sqrt(stiffness * mass) * approach);
    // Friction stops the sliding at most.
    const Vec3d slide = v - approach * n;
    const double speed = length(slide);
    const double drag = std::min(friction * normal, 0.25 * mass * speed / dt);
    return normal * n - (speed > 0 ? drag / speed : 0) * slide;
}

}  // namespace

template <class Real>
std::size_t contact_forces(const std::vector<Phase<Real>>& phases,
                           const std::vector<StretchLaw<Real>>& laws, double friction, double dt,
                           std::vector<EmbeddedWorkspace<Real>>& work) {
    const std::vector<Touch> all = surface_particles(phases, laws, work);
    if (all.empty()) return 0;
    std::vector<Vec3d> points;
    std::vector<PointRef> refs;
    double reach = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        points.push_back(all[i].x);
        refs.push_back({0, static_cast<std::uint32_t>(i)});
        reach = std::max(reach, all[i].spacing);
    }
    const PointGrid grid(points, refs, reach);
    return reduce(
        all.size(), std::size_t{0},
        [&](std::size_t i) {
            Vec3d sum = splat(0.0);
            std::size_t touching = 0;
            grid.for_each_within(all[i].x, reach, [&](std::uint32_t, std::uint32_t j, double) {
                if (j == i || !are_strangers(all[i], all[j])) return;
                const Vec3d f = push(all[i], all[j], friction, dt);
                if (f == splat(0.0)) return;
                sum += f;
                touching = 1;
            });
            const PointRef& ref = all[i].ref;
            work[ref.phase].force[ref.row] += to_lanes(static_cast<Vec3<Real>>(sum));
            return touching;
        },
        std::plus<>{});
}

template std::size_t contact_forces(const std::vector<Phase<float>>&,
                                    const std::vector<StretchLaw<float>>&, double, double,
                                    std::vector<EmbeddedWorkspace<float>>&);
template std::size_t contact_forces(const std::vector<Phase<double>>&,
                                    const std::vector<StretchLaw<double>>&, double, double,
                                    std::vector<EmbeddedWorkspace<double>>&);

}  // namespace knead
