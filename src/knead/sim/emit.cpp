#include "knead/sim/emit.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "knead/base/random.h"
#include "knead/geometry/rotation.h"
#include "knead/particles/edit_rows.h"
#include "knead/particles/point_grid.h"
#include "knead/particles/state_columns.h"

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

// Is any particle nearer than `gap` to one of the points?
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
void append(const Emitter& e, const Placement& place, double density,
            const std::vector<Vec3d>& points, Phase<Real>& phase, std::int64_t& next_id) {
    Particles<Real>& p = phase.particles;
    const std::size_t first = append_rows(phase, points.size());
    for (std::size_t k = 0; k < points.size(); ++k) {
        const std::size_t i = first + k;
        const Vec3d v = e.velocity + cross(e.angular_velocity, points[k] - e.middle - place.shift);
        p.id.at(i) = next_id++;
        p.parent.at(i) = -1;
        p.body.at(i) = e.body;
        p.x.set(i, points[k]);
        p.v.set(i, static_cast<Vec3<Real>>(v));
        p.mass.at(i) = static_cast<Real>(density * e.volume);
        p.volume.at(i) = static_cast<Real>(e.volume);
        if (p.grip.present()) p.grip.at(i) = -1;
        if (p.stuck.present()) p.stuck.at(i) = -1;
    }
    set_at_rest(p, first, p.size());
}

template <class Real>
Phase<Real>& phase_of(State<Real>& state, int material) {
    for (auto& phase : state.phases)
        if (phase.material == material && phase.is_volume()) return phase;
    throw std::logic_error("an emitter's material has no phase");
}

}  // namespace

template <class Real>
double next_emission(const Model& model, const State<Real>& state) {
    double next = 1e300;
    for (std::size_t n = 0; n < model.emitters.size(); ++n) {
        const Emitter& e = model.emitters[n];
        const std::int64_t done = n < state.emitted.size() ? state.emitted[n] : 0;
        if (done < e.count) next = std::min(next, e.start + static_cast<double>(done) * e.interval);
    }
    return next;
}

template <class Real>
bool emit_due(const Model& model, State<Real>& state) {
    bool any = false;
    state.emitted.resize(model.emitters.size());
    for (std::size_t n = 0; n < model.emitters.size(); ++n) {
        const Emitter& e = model.emitters[n];
        std::int64_t& done = state.emitted[n];
        if (done >= e.count) continue;
        if (state.time < e.start + static_cast<double>(done) * e.interval) continue;
        const Placement place = placement_of(e, n, done, model.seed);
        std::vector<Vec3d> points;
        for (const Vec3d& x : e.points) points.push_back(place.place(x));
        if (is_taken(state, points, 2 * model.dx)) continue;
        const double density = model.materials[static_cast<std::size_t>(e.material)].density;
        append(e, place, density, points, phase_of(state, e.material), state.next_id);
        ++done;
        any = true;
    }
    // Rows are no longer in order of blocks, and the newcomers may be the fastest.
    if (any) state.memory.drift = StepMemory{}.drift, state.memory.max_speed = -1;
    return any;
}

template double next_emission(const Model&, const State<float>&);
template double next_emission(const Model&, const State<double>&);
template bool emit_due(const Model&, State<float>&);
template bool emit_due(const Model&, State<double>&);

}  // namespace knead
