#include "knead/sim/emit.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "knead/base/random.h"
#include "knead/geometry/rotation.h"
#include "knead/sim/new_rows.h"

namespace knead {

namespace {

// Where the k-th copy goes: shifted within `spread` and, if asked for, turned about a random axis.
struct Placement {
    Vec3d middle, shift;
    Mat3d turn;
    Vec3d place(const Vec3d& x) const { return middle + shift + turn * (x - middle); }
};

Placement placement_of(const Emitter& e, std::size_t emitter, std::int64_t copy,
                       std::uint64_t seed) {
    const auto draw = [&](std::uint64_t k) {
        return 2 * random_unit(random_bits(seed, 0x656d6974, emitter),
                               static_cast<std::uint64_t>(copy), k) -
               1;
    };
    Placement p{e.middle, {}, identity3<double>()};
    p.shift = e.spread * Vec3d{draw(0), draw(1), draw(2)};
    if (e.turn) {
        const double up = draw(3), around = std::numbers::pi * draw(4);
        const double out = std::sqrt(std::max(0.0, 1 - up * up));
        const Vec3d axis{out * std::cos(around), up, out * std::sin(around)};
        p.turn = rotation_of((std::numbers::pi * draw(5)) * axis);
    }
    return p;
}

// One copy, all of it moving as the body does.
NewMatter copy_of(const Emitter& e, const Placement& place, double density) {
    NewMatter copy{e.body, density, e.volume, {}, {}};
    for (const Vec3d& rest : e.points) {
        const Vec3d x = place.place(rest);
        copy.points.push_back(x);
        copy.velocities.push_back(e.velocity +
                                  cross(e.angular_velocity, x - e.middle - place.shift));
    }
    return copy;
}

// When the next copy is due [s].
double due_time(const Emitter& e, std::int64_t done) {
    return e.start + static_cast<double>(done) * e.interval;
}

}  // namespace

template <class Real>
double next_emission(const Model& model, const State<Real>& state) {
    double next = 1e300;
    for (std::size_t n = 0; n < model.emitters.size(); ++n) {
        const Emitter& e = model.emitters[n];
        const std::int64_t done = n < state.emitted.size() ? state.emitted[n] : 0;
        if (done < e.count) next = std::min(next, due_time(e, done));
    }
    return next;
}

template <class Real>
Exchange emit_due(const Model& model, State<Real>& state) {
    Exchange flow;
    state.emitted.resize(model.emitters.size());
    for (std::size_t n = 0; n < model.emitters.size(); ++n) {
        const Emitter& e = model.emitters[n];
        std::int64_t& done = state.emitted[n];
        if (done >= e.count || state.time < due_time(e, done)) continue;
        const double density = model.materials[static_cast<std::size_t>(e.material)].density;
        const NewMatter copy = copy_of(e, placement_of(e, n, done, model.seed), density);
        if (is_taken(state, copy.points, 2 * model.dx)) {
            if (state.time > due_time(e, done) + e.interval)
                flow.blocked =
                    "body " + model.bodies[static_cast<std::size_t>(e.body)].name +
                    ": the place of its next copy is taken; copies wait until it is free";
            continue;
        }
        add_rows(state, phase_of(state, e.material), copy);
        ++done;
        flow.changed = true;
    }
    if (flow.changed) rows_have_changed(state);
    return flow;
}

template double next_emission(const Model&, const State<float>&);
template double next_emission(const Model&, const State<double>&);
template Exchange emit_due(const Model&, State<float>&);
template Exchange emit_due(const Model&, State<double>&);

}  // namespace knead
