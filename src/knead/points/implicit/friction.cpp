// friction: Coulomb's law on obstacles inside the solve, by what sticks and what slides.
#include <algorithm>
#include <functional>

#include "knead/points/implicit/stages.h"

namespace knead {

namespace {

constexpr double still = 1e-5;    // in spacings a step: slower is at rest on an obstacle
constexpr double settled = 0.02;  // of all friction may change without another solve

template <class Real>
Vec3d vec(const Lanes<Real>& a) {
    return static_cast<Vec3d>(to_vec(a));
}
template <class Real>
void move(ImplicitWorkspace<Real>& work, std::size_t row, const Vec3d& by) {
    work.delta[row] += to_lanes(static_cast<Vec3<Real>>(by));
}

// v without what the obstacle blocks.
Vec3d along_obstacle(const Constraint& c, const Vec3d& v) {
    Vec3d t = v;
    for (int k = 0; k < c.blocked; ++k) t -= dot(v, c.along[k]) * c.along[k];
    return t;
}

// Friction of a given size against a slide.
Vec3d against(const Vec3d& slide, double size) {
    const double l = length(slide);
    return l > 0 ? (-size / l) * slide : Vec3d{0, 0, 0};
}

// How stiffly matter holds a particle, dt^2 times its stiffness and its mass [kg].
template <class Real>
double hold(const ImplicitWorkspace<Real>& work, std::size_t row) {
    const double s = work.spacing(row);
    return static_cast<double>(work.mass[row]) +
           static_cast<double>(2 * work.mu[row] + work.lambda[row]) / (s * s);
}

struct Change {
    double changed = 0, all = 0;  // of friction [kg m]
};

// The law for one contact, given what its constraint took: what it would take to stop the slide,
// within Coulomb's cone it sticks, and what is beyond is cut off. Who would have to be pulled goes.
template <class Real>
Change apply_law(const Vec3d& push, ImplicitWorkspace<Real>& work, Constraint& c) {
    const std::size_t row = work.row_of(c);
    const double weight = dot(push, c.normal), most = c.friction * std::max(weight, 0.0);
    const Vec3d before = c.sticks() ? along_obstacle(c, push) : c.rub;
    if (c.parts && weight < 0) {
        const double gone = length(before) - c.friction * weight;
        c.count = c.blocked = 0, c.friction = 0, c.rub = {0, 0, 0};
        return {gone, 0};
    }
    Vec3d slide{0, 0, 0};
    if (!c.sticks()) slide = along_obstacle(c, vec(work.delta[row]) - c.drift - work.carried(c));
    Vec3d trial = before - hold(work, row) * slide;
    if (length(trial) <= most) {
        if (!c.sticks()) c.stick(), move(work, row, -slide);
    } else {
        c.slide();
        trial = c.rub = against(-trial, most);
    }
    return {length(trial - before), most};
}

}  // namespace

template <class Real>
void begin_friction(const std::vector<Phase<Real>>& phases, double dt,
                    ImplicitWorkspace<Real>& work) {
    for_each(work.constraints.size(), 256, [&](std::size_t k) {
        Constraint& c = work.constraints[k];
        if (!c.rubs()) return;
        const std::size_t row = work.row_of(c);
        const Particles<Real>& p = phases[c.phase].particles;
        const auto mass = static_cast<double>(work.mass[row]);
        const double rested = dt * dt * static_cast<double>(p.reaction.at(c.row));
        const Vec3d ballistic = vec(work.ballistic[row]);
        const Vec3d stopped = ballistic - c.within(ballistic) + c.fixed();
        const double push = std::max(rested, mass * dot(c.normal, c.fixed() - c.within(ballistic)));
        const Vec3d slide = along_obstacle(c, stopped - c.drift);
        const Vec3d went = along_obstacle(c, dt * static_cast<Vec3d>(p.v.vec(c.row)) - c.drift);
        const bool rests = length(went) < still * work.spacing(row);
        if (rests || mass * length(slide) < c.friction * push)
            c.stick();
        else
            c.rub = against(slide, c.friction * push);
    });
}

template <class Real>
void find_pushes(ImplicitWorkspace<Real>& work) {
    work.pushes.resize(work.constraints.size());
    for_each(work.pushes.size(), 256, [&](std::size_t k) {
        const Constraint& c = work.constraints[k];
        const std::size_t i = work.row_of(c);
        const Vec3d left =
            static_cast<double>(work.mass[i]) * vec(work.delta[i] - work.ballistic[i]) -
            vec(work.force[i]);
        work.pushes[k] = c.within(left);
    });
}

template <class Real>
bool change_friction(ImplicitWorkspace<Real>& work) {
    std::vector<Constraint> before = work.constraints;
    const Array<Lanes<Real>> delta = work.delta;
    const Change sum = reduce(
        work.constraints.size(), Change{},
        [&](std::size_t k) {
            Constraint& c = work.constraints[k];
            return c.rubs() ? apply_law(work.pushes[k], work, c) : Change{};
        },
        [](const Change& a, const Change& b) {
            return Change{a.changed + b.changed, a.all + b.all};
        });
    if (sum.changed > settled * sum.all) return true;
    work.delta = delta;
    work.constraints = std::move(before);
    return false;
}

// What slides along an obstacle loses up to the coefficient times the push of its momentum.
template <class Real>
void rub(std::span<const ColliderAt> colliders, double dt, ImplicitWorkspace<Real>& work) {
    for_each(work.constraints.size(), 256, [&](std::size_t k) {
        Constraint& c = work.constraints[k];
        if (!c.rubs()) return;
        const std::size_t i = work.row_of(c);
        const auto mass = static_cast<double>(work.mass[i]);
        const double push = dot(work.pushes[k], c.normal);
        const Vec3d delta = vec(work.delta[i]);
        const Vec3d drift =
            dt * colliders[static_cast<std::size_t>(c.collider)].velocity(work.x[i] + delta);
        const Vec3d slide = along_obstacle(c, delta - drift);
        if (!(push > 0)) return;
        c.rub = against(slide, std::min(c.friction * push, mass * length(slide)));
        move(work, i, c.rub / mass);
    });
}

#define INSTANTIATE(Real)                                                 \
    template void begin_friction(const std::vector<Phase<Real>>&, double, \
                                 ImplicitWorkspace<Real>&);               \
    template void find_pushes(ImplicitWorkspace<Real>&);                  \
    template bool change_friction(ImplicitWorkspace<Real>&);              \
    template void rub(std::span<const ColliderAt>, double, ImplicitWorkspace<Real>&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
