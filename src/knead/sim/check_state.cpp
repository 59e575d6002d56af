#include "knead/sim/check_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "knead/base/error.h"
#include "knead/mpm/grid/block_key.h"
#include "knead/mpm/transfer/kernels.h"

namespace knead {

namespace {

// The columns a phase of a material has once a solver has prepared it.
template <class Real>
std::set<std::string> columns_of(const Phase<Real>& phase) {
    std::set<std::string> names;
    phase.particles.for_each_column([&](const ColumnInfo& info, const auto& column) {
        if (column.present()) names.insert(info.name);
    });
    return names;
}

template <class Real>
Phase<Real> prepared_phase(const Phase<Real>& like, Solver<Real>& solver) {
    State<Real> state;
    state.phases.resize(1);
    Phase<Real>& phase = state.phases[0];
    phase.material = like.material;
    phase.kind = like.kind;
    Particles<Real>& p = phase.particles;
    p.id.create(0), p.parent.create(0), p.body.create(0);
    p.x.create(0), p.v.create(0), p.mass.create(0), p.volume.create(0);
    solver.prepare(state);
    return std::move(state.phases[0]);
}

template <class Real>
class Check {
public:
    Check(const Model& model, Solver<Real>& solver, const std::string& file)
        : model_(model), solver_(solver), file_(file) {}

    void state(const State<Real>& s) const {
        numbers(s);
        std::set<int> materials;  // of volumes
        std::set<std::tuple<int, PhaseKind, std::int64_t>> phases;
        for (const Phase<Real>& phase : s.phases) {
            within("material", phase.material, model_.materials.size());
            if (!phases.emplace(phase.material, phase.kind, phase.elements.corners).second)
                wrong("two phases of one material and kind");
            if (phase.is_volume()) materials.insert(phase.material);
            if (phase.is_volume() == is_thin(material_of(phase)))
                wrong("a phase of another kind than its material");
            columns(phase);
            particles(phase, s.next_id);
            links(phase);
            blocks(phase, s.memory);
        }
        for (const Emitter& e : model_.emitters)
            if (!materials.contains(e.material)) wrong("an emitter's material has no phase");
        for (const Stream& stream : model_.streams)
            if (!materials.contains(stream.material)) wrong("a stream's material has no phase");
    }

private:
    const Model& model_;
    Solver<Real>& solver_;
    const std::string& file_;

    [[noreturn]] void wrong(const std::string& what) const {
        throw InputError({file_}, "damaged checkpoint: " + what,
                         "delete it and resume from an older one, or start again with --overwrite");
    }
    const Material& material_of(const Phase<Real>& phase) const {
        return model_.materials[static_cast<std::size_t>(phase.material)];
    }
    void within(const char* name, std::int64_t index, std::size_t count) const {
        if (index < 0 || static_cast<std::uint64_t>(index) >= count)
            wrong(fmt::format("{} {} of {}", name, index, count));
    }
    void require(bool right, const char* name, double value) const {
        if (!right) wrong(fmt::format("{} is {}", name, value));
    }

    void numbers(const State<Real>& s) const {
        constexpr double long_time = 1e12;
        constexpr std::int64_t many = std::int64_t{1} << 60;
        require(s.time >= 0 && s.time < long_time, "time", s.time);
        require(s.frame_start >= 0 && s.frame_start <= s.time, "frame_start", s.frame_start);
        require(s.step >= 0 && s.step < many, "step", static_cast<double>(s.step));
        require(s.frame >= 0, "frame", s.frame);
        require(s.frame_start_step >= 0 && s.frame_start_step <= s.step, "frame_start_step",
                static_cast<double>(s.frame_start_step));
        require(s.dt_scale > 0 && s.dt_scale <= 1, "dt_scale", s.dt_scale);
        require(s.next_id >= 0 && s.next_id < many, "next_id", static_cast<double>(s.next_id));
        StepMemory::for_each_member(s.memory, [&](const char* name, auto value) {
            require(std::isfinite(static_cast<double>(value)), name, static_cast<double>(value));
            const std::string_view is(name);
            const bool signed_one = is == "max_speed" || is == "least_normal";
            require(signed_one || value >= 0, name, static_cast<double>(value));
        });
        for (const auto& [name, value] : s.totals)
            if (!std::isfinite(value)) wrong(name + " is not a number");
        if (s.emitted.size() > model_.emitters.size()) wrong("more emitters than the scene has");
        for (std::size_t i = 0; i < s.emitted.size(); ++i)
            if (s.emitted[i] < 0 || s.emitted[i] > model_.emitters[i].count)
                wrong(fmt::format("{} copies of an emitter", s.emitted[i]));
        flows(s);
        if (s.rigid.size() > model_.colliders.size()) wrong("more colliders than the scene has");
        for (const RigidState& r : s.rigid)
            if (!finite(r)) wrong("a collider's motion is not a number");
    }
    void flows(const State<Real>& s) const {
        if (s.streams.size() > model_.streams.size()) wrong("more streams than the scene has");
        if (s.sinks.size() > model_.sinks.size()) wrong("more sinks than the scene has");
        for (const StreamState& stream : s.streams) {
            require(stream.due >= 0 && std::isfinite(stream.due), "a stream's due time",
                    stream.due);
            require(stream.blocked_since == -1 ||
                        (stream.blocked_since >= 0 && stream.blocked_since <= s.time),
                    "blocked_since", stream.blocked_since);
            require(std::abs(stream.held) <= 1e3, "how long a stream is held", stream.held);
        }
        const NodeKicks<Real>& kicks = s.kicks;
        require(kicks.dt >= 0 && std::isfinite(kicks.dt), "kick_dt", kicks.dt);
        if (!kicks.is_whole()) wrong("kicks that belong to other blocks");
        for (const Real speed : kicks.speeds)
            if (!std::isfinite(speed)) wrong("a kick is not a number");
        for (const double due : s.sinks)
            require(due >= 0 && std::isfinite(due), "a sink's due time", due);
    }
    static bool finite(const RigidState& r) {
        double sum = 0;
        for (int k = 0; k < 9; ++k) sum += std::abs(r.pose.rotation[k]);
        for (int k = 0; k < 3; ++k)
            sum += std::abs(r.pose.position[k]) + std::abs(r.twist.linear[k]) +
                   std::abs(r.twist.angular[k]);
        return std::isfinite(sum);
    }

    void columns(const Phase<Real>& phase) const {
        const std::set<std::string> here = columns_of(phase);
        std::set<std::string> wanted = columns_of(prepared_phase(phase, solver_));
        // Only some scenes have these.
        if (here.contains("flow_rate")) wanted.insert("flow_rate");
        if (model_.grips.empty()) wanted.erase("grip");
        for (const std::string& name : wanted)
            if (!here.contains(name)) wrong("no column '" + name + "'");
        for (const std::string& name : here)
            if (!wanted.contains(name))
                wrong("a column '" + name + "' that its method does not have");
        const std::size_t n = phase.particles.size();
        phase.particles.for_each_column([&](const ColumnInfo& info, const auto& column) {
            if (column.present() && column.size() != n)
                wrong(fmt::format("{} rows of '{}' for {} particles", column.size(), info.name, n));
        });
    }

    void particles(const Phase<Real>& phase, std::int64_t next_id) const {
        const Particles<Real>& p = phase.particles;
        p.for_each_column([&](const ColumnInfo& info, const auto& column) {
            using C = std::decay_t<decltype(column)>;
            if constexpr (std::is_floating_point_v<typename C::Scalar>)
                for (int k = 0; k < C::planes && column.present(); ++k)
                    for (std::size_t i = 0; i < column.size(); ++i)
                        if (!std::isfinite(column.at(i, k)))
                            wrong(fmt::format("'{}' of a particle is not a number", info.name));
        });
        for (std::size_t i = 0; i < p.size(); ++i) {
            within("id", p.id.at(i), static_cast<std::size_t>(next_id));
            if (p.parent.at(i) != -1)
                within("parent", p.parent.at(i), static_cast<std::size_t>(next_id));
            within("body", p.body.at(i), model_.bodies.size());
            if (model_.bodies[static_cast<std::size_t>(p.body.at(i))].material != phase.material)
                wrong("a particle in the phase of another material than its body's");
            if (p.grip.present() && p.grip.at(i) != -1)
                within("grip", p.grip.at(i), model_.grips.size());
            if (p.stuck.present() && p.stuck.at(i) != -1)
                within("stuck", p.stuck.at(i), model_.colliders.size());
            if (!(p.mass.at(i) > 0 && p.volume.at(i) > 0))
                wrong("a particle without mass or volume");
            if (p.support.present() && !(p.support.at(i) > 0))
                wrong("a particle without a neighbourhood");
        }
        // Rows may stand in any order, but each id once.
        std::vector<std::int64_t> ids(p.id.plane(0), p.id.plane(0) + p.size());
        std::sort(ids.begin(), ids.end());
        if (std::adjacent_find(ids.begin(), ids.end()) != ids.end())
            wrong("two particles of one id");
    }

    void links(const Phase<Real>& phase) const {
        const Links<Real>& l = phase.links;
        const std::size_t n = phase.particles.size(), width = Links<Real>::width;
        if (model_.method() != Method::embedded) {
            if (l.present()) wrong("links in a method that has none");
            return;
        }
        if (l.count.size() != n || l.to.size() != n * width)
            wrong(fmt::format("links of {} particles for {}", l.count.size(), n));
        for (const auto& u : l.u) {
            if (u.size() != n * width) wrong("rest vectors for other links than there are");
            for (const Real a : u)
                if (!std::isfinite(a)) wrong("a rest vector is not a number");
        }
        for (std::size_t i = 0; i < n; ++i) {
            within("link count", l.count[i], width + 1);
            for (std::size_t s = l.first(i); s < l.first(i) + width; ++s) {
                within("link target", l.to[s], n);
                const auto to = static_cast<std::size_t>(l.to[s]);
                if (s < l.end(i) ? to == i : to != i) wrong("a link to the particle itself");
                if (s > l.first(i) && s < l.end(i) && l.to[s - 1] >= l.to[s])
                    wrong("links out of order");
            }
        }
    }

    // Ranges follow each other, cover all rows, and hold the particles that stand there.
    void blocks(const Phase<Real>& phase, const StepMemory& memory) const {
        const Particles<Real>& p = phase.particles;
        if (model_.method() != Method::mpm || phase.blocks.empty()) {
            if (!phase.blocks.empty()) wrong("grid blocks in a method that has none");
            // Only what is sorted before the next step may do without.
            if (model_.method() == Method::mpm && p.size() > 0 && memory.drift < 1)
                wrong("particles without their grid blocks");
            return;
        }
        std::int64_t row = 0, key = -1;
        for (const BlockRange& b : phase.blocks) {
            if (b.begin != row || b.end <= b.begin) wrong("grid blocks that leave rows out");
            if (b.key <= key) wrong("grid blocks out of order");
            const Vec3i at = block_coordinates(b.key);
            for (int a = 0; a < 3; ++a)
                if (std::abs(at[a]) > block_limit - 2) wrong("a grid block beyond all space");
            row = b.end, key = b.key;
        }
        if (row != static_cast<std::int64_t>(p.size())) wrong("grid blocks for other particles");
        if (memory.drift < 1)
            for (const BlockRange& b : phase.blocks) standing(p, b);
    }
    void standing(const Particles<Real>& p, const BlockRange& b) const {
        const auto& mpm = std::get<MpmSettings>(model_.settings);
        const double offset = support_offset_of(mpm);
        const Vec3i first = block_width * block_coordinates(b.key);
        for (std::int64_t i = b.begin; i < b.end; ++i)
            for (int a = 0; a < 3; ++a) {
                const double node =
                    p.x.at(static_cast<std::size_t>(i), a) / mpm.dx - offset - first[a];
                if (!(node >= -1.001 && node < block_width + 1.001))
                    wrong("a particle outside its grid block");
            }
    }
};

}  // namespace

template <class Real>
void check_checkpoint(const Model& model, const Checkpoint<Real>& checkpoint,
                      Solver<Real>& solver) {
    const Check<Real> check(model, solver, checkpoint.file);
    check.state(checkpoint.state);
    if (checkpoint.frame_start) check.state(*checkpoint.frame_start);
}

template void check_checkpoint(const Model&, const Checkpoint<float>&, Solver<float>&);
template void check_checkpoint(const Model&, const Checkpoint<double>&, Solver<double>&);

}  // namespace knead
