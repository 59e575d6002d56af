#include "knead/sim/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "knead/base/random.h"
#include "knead/particles/edit_rows.h"
#include "knead/particles/point_grid.h"
#include "knead/sim/new_rows.h"
#include "knead/sim/statistics.h"

namespace knead {

namespace {

constexpr double never = 1e300;

// Slices nearer than this to other matter would press it together unseen [spacings]; less by what
// particles may have been shifted.
constexpr double least_gap = 0.9;
// A slice whose place is taken is tried again this often [1/period], and the opening is called
// blocked after so many periods.
constexpr double tries = 8, patience = 5;

double next_slice(const Stream& s, const StreamState& at) {
    const double due = std::max(at.due, s.start);
    return due < s.stop - 1e-6 * s.period() ? due : never;  // rounding lets in no slice more
}
double next_draining(const Sink& s, double due) {
    due = std::max(due, s.start);
    return due < s.stop ? due : never;
}

// A slice as it stands and moves at a time, `ahead` of the opening.
NewMatter slice_of(const Stream& s, double time, double ahead, double density) {
    NewMatter slice{s.body, density, s.volume(), {}, {}};
    const Pose pose = s.carrier.pose(time);
    const Twist twist = s.carrier.twist(time);
    const Vec3d out = pose.rotation * s.direction;
    for (const Vec3d& rest : s.points) {
        const Vec3d x = from_rest(pose, s.carrier.pivot, rest) + ahead * out;
        slice.points.push_back(x);
        slice.velocities.push_back(s.speed * out + velocity_at(twist, pose, x));
    }
    return slice;
}

// Breaks the rows that a lattice would leave in a strand. Every particle draws by its id.
void shake(const Stream& s, std::uint64_t seed, std::int64_t first_id, NewMatter& slice) {
    for (std::size_t k = 0; k < slice.points.size() && s.jitter > 0; ++k) {
        const auto id = static_cast<std::uint64_t>(first_id) + k;
        const auto draw = [&](std::uint64_t axis) { return 2 * random_unit(seed, id, axis) - 1; };
        slice.points[k] += s.jitter * s.spacing * Vec3d{draw(0), draw(1), draw(2)};
    }
}

// What stands within four slices in front of an opening, from a cell out of it.
struct Ahead {
    std::size_t count = 0;
    double squeeze = 0;  // mean share of their volume that particles have lost
};

constexpr double depth_ahead = 4;  // in slices

template <class Real>
Ahead look_ahead(const Stream& s, double dx, double time, const State<Real>& state) {
    const Pose pose = s.carrier.pose(time);
    Box3 box;
    for (const Vec3d& x : s.points) box.add(x);
    const Vec3d middle = box.center();
    const double radius = 0.5 * length(box.size()) + s.spacing;
    const PointGrid grid(s.points, std::vector<PointRef>(s.points.size()), s.spacing);
    Ahead found;
    for (const auto& phase : state.phases)
        for (std::size_t i = 0; i < phase.particles.size(); ++i) {
            const Vec3d x = to_rest(pose, s.carrier.pivot, phase.particles.x.vec(i));
            const double ahead = dot(x - middle, s.direction);
            const Vec3d across = x - ahead * s.direction;
            if (ahead < dx || ahead > dx + depth_ahead * s.spacing ||
                length(across - middle) > radius)
                continue;
            bool near = false;
            grid.for_each_within(across, 0.75 * s.spacing,
                                 [&](std::uint32_t, std::uint32_t, double) { near = true; });
            if (!near) continue;
            ++found.count;
            found.squeeze += 1 - volume_ratio(phase.particles, i);
        }
    if (found.count > 0) found.squeeze /= static_cast<double>(found.count);
    return found;
}

// Why no slice enters now. Matter ahead may be pressed together in its numbers, far beyond a
// strand, or in its volume, by the pressure of a vessel that is full.
enum class Obstacle { none, matter, pressure };

template <class Real>
Obstacle obstacle(const Model& model, const Stream& s, const NewMatter& slice, bool held,
                  const State<Real>& state) {
    constexpr double most = 1.6;        // of a strand's particles
    constexpr double release = 1. / 3;  // of the pressure: what only moved has come to rest by then
    const double bulk = model.materials[static_cast<std::size_t>(s.material)].elastic.bulk_modulus;
    const auto strand = depth_ahead * static_cast<double>(s.points.size());
    const Ahead ahead = look_ahead(s, model.dx, state.time, state);
    if (ahead.squeeze * bulk > (held ? release : 1) * s.pressure) return Obstacle::pressure;
    return static_cast<double>(ahead.count) > most * strand ||
                   is_taken(state, slice.points, (least_gap - s.jitter) * s.spacing)
               ? Obstacle::matter
               : Obstacle::none;
}

void tell(const Model& model, const Stream& s, double time, Obstacle by, Exchange& flow) {
    Box3 box;
    for (const Vec3d& x : s.points) box.add(x);
    const Vec3d at = from_rest(s.carrier.pose(time), s.carrier.pivot, box.center());
    flow.blocked =
        fmt::format("body {}: its opening is blocked by {}; less enters than the scene asks for",
                    model.bodies[static_cast<std::size_t>(s.body)].name,
                    by == Obstacle::pressure ? "the pressure in front of it (stream.pressure)"
                                             : "matter in front of it");
    flow.where = fmt::format("; it stands at ({:.4g}, {:.4g}, {:.4g}) m", at.x, at.y, at.z);
}

// How long a slice waits before it is tried again [s]. A drive that matter pressed back waits
// longer each time it happens again soon: a vessel that is full yields a little in every pause.
double pause_of(const Stream& s, const StreamState& at) {
    return s.period() * (at.held > 0 ? at.held : 1 / tries);
}

void hold(StreamState& at) {
    constexpr double first = 2, longest = 1e3;  // in periods
    if (at.held <= 0) at.held = std::clamp(-4 * at.held, first, longest);
}

void let_go(StreamState& at, bool entered) {
    at.held = -std::abs(at.held) * (entered ? 0.75 : 1);
    if (at.held > -0.5) at.held = 0;
}

// Every slice that is due, until one cannot enter. That waits, and is tried again.
template <class Real>
void let_in(const Model& model, const Stream& s, StreamState& at, State<Real>& state,
            Exchange& flow) {
    const double density = model.materials[static_cast<std::size_t>(s.material)].density;
    while (next_slice(s, at) <= state.time) {
        const double due = std::max(at.due, s.start);
        const bool waited = at.blocked_since >= 0;
        const double late = waited ? 0 : state.time - due;
        NewMatter slice = slice_of(s, state.time, late * s.speed, density);
        if (waited) state.totals["blocked_time"] += state.time - (at.due - pause_of(s, at));
        if (waited && state.time - at.blocked_since > patience * s.period())
            tell(model, s, state.time, at.held > 0 ? Obstacle::pressure : Obstacle::matter, flow);
        const Obstacle by = obstacle(model, s, slice, at.held > 0, state);
        by == Obstacle::pressure ? hold(at) : let_go(at, by == Obstacle::none);
        if (by != Obstacle::none) {
            if (!waited) at.blocked_since = state.time;
            at.due = state.time + pause_of(s, at);
            return;
        }
        at.due = (waited ? state.time : due) + s.period();
        at.blocked_since = -1;
        shake(s, random_bits(model.seed, 0x73686b65), state.next_id, slice);
        add_rows(state, phase_of(state, s.material), slice);
        flow.changed = true;
    }
}

template <class Real>
void take_out(const Sink& s, State<Real>& state, Exchange& flow) {
    const Pose pose = s.motion.pose(state.time);
    for (Phase<Real>& phase : state.phases) {
        if (!phase.is_volume()) continue;
        const Particles<Real>& p = phase.particles;
        std::vector<char> gone(p.size(), 0);
        double mass = 0;
        bool any = false;
        for (std::size_t i = 0; i < p.size(); ++i) {
            if (!(s.shape.distance(to_rest(pose, s.motion.pivot, p.x.vec(i))) < 0)) continue;
            gone[i] = 1, any = true;
            mass += p.mass.at(i);
        }
        if (!any) continue;
        remove_rows(phase, gone);
        state.totals["mass_out"] += mass;
        flow.changed = true;
    }
}

}  // namespace

template <class Real>
double next_flow(const Model& model, const State<Real>& state) {
    double next = never;
    for (std::size_t n = 0; n < model.streams.size(); ++n)
        next =
            std::min(next, next_slice(model.streams[n],
                                      n < state.streams.size() ? state.streams[n] : StreamState{}));
    for (std::size_t n = 0; n < model.sinks.size(); ++n)
        next = std::min(
            next, next_draining(model.sinks[n], n < state.sinks.size() ? state.sinks[n] : 0.0));
    return next;
}

template <class Real>
Exchange flow_due(const Model& model, State<Real>& state) {
    Exchange flow;
    state.streams.resize(model.streams.size());
    state.sinks.resize(model.sinks.size());
    for (std::size_t n = 0; n < model.sinks.size(); ++n) {
        const Sink& s = model.sinks[n];
        if (!(next_draining(s, state.sinks[n]) <= state.time)) continue;
        take_out(s, state, flow);
        state.sinks[n] = state.time + s.interval;
    }
    for (std::size_t n = 0; n < model.streams.size(); ++n)
        let_in(model, model.streams[n], state.streams[n], state, flow);
    if (flow.changed) rows_have_changed(state);
    return flow;
}

template <class Real>
void let_in_one_of_each(const Model& model, State<Real>& state) {
    for (const Emitter& e : model.emitters) {
        state.time = e.start;
        emit_due(model, state);
    }
    state.streams.resize(model.streams.size());
    for (std::size_t n = 0; n < model.streams.size(); ++n) {
        for (StreamState& other : state.streams) other.due = never;
        state.time = state.streams[n].due = model.streams[n].start;
        flow_due(model, state);
    }
}

template <class Real>
void begin_counting(const Model& model, State<Real>& state) {
    if (!model.emitters.empty() || !model.streams.empty()) state.totals["mass_in"] = 0;
    if (!model.streams.empty()) state.totals["blocked_time"] = 0;
    if (!model.sinks.empty()) state.totals["mass_out"] = 0;
}

template double next_flow(const Model&, const State<float>&);
template double next_flow(const Model&, const State<double>&);
template Exchange flow_due(const Model&, State<float>&);
template Exchange flow_due(const Model&, State<double>&);
template void let_in_one_of_each(const Model&, State<float>&);
template void let_in_one_of_each(const Model&, State<double>&);
template void begin_counting(const Model&, State<float>&);
template void begin_counting(const Model&, State<double>&);

}  // namespace knead
