#include "knead/points/implicit/implicit_solver.h"

#include <algorithm>
#include <cmath>

#include "knead/math/svd.h"
#include "knead/particles/edit_rows.h"
#include "knead/points/bisected_order.h"
#include "knead/points/implicit/precondition.h"

namespace knead {

namespace {

constexpr double disorder =
    0.5;  // rows are sorted anew when particles moved by this, in units of h
constexpr std::int64_t steps_between_bounds = 100;  // of the explicit twin's step
constexpr int friction_rounds =
    4;  // solves a step at most, until who sticks and who slides is settled
constexpr double rough_solve = 30;  // times the tolerance, until then
constexpr double runaway = 50;  // times the speed of sound that nothing has against its neighbours

template <class Real>
bool rubs(const ImplicitWorkspace<Real>& work) {
    return std::any_of(work.constraints.begin(), work.constraints.end(),
                       [](const Constraint& c) { return c.rubs(); });
}

std::string limit_warning(const ImplicitSettings& s) {
    std::string text = "a solve did not reach solver.implicit.tolerance within max_iterations = " +
                       std::to_string(s.max_iterations) +
                       "; the run goes on, and stats count such steps as cg_limit. Raise "
                       "solver.implicit.max_iterations";
    if (s.preconditioner != Preconditioner::two_level)
        text += ", or write solver.implicit.preconditioner = \"two-level\"";
    return text;
}

}  // namespace

template <class Real>
ImplicitSolver<Real>::ImplicitSolver(const ImplicitSettings& settings,
                                     const std::vector<Material>& materials)
    : settings_(settings) {
    for (const Material& m : materials)
        laws_.push_back({make_stretch_law<Real>(m), m.elastic.shear_modulus,
                         m.elastic.bulk_modulus - 2.0 / 3.0 * m.elastic.shear_modulus});
}

template <class Real>
void ImplicitSolver<Real>::prepare(std::vector<Phase<Real>>& phases) {
    bool fresh = false;
    for (auto& phase : phases) {
        Particles<Real>& p = phase.particles;
        if (p.F.present()) continue;  // from a checkpoint
        fresh = true;
        const std::size_t n = p.size();
        p.F.create(n);
        p.reaction.create(n);
        if (settings_.guess == FirstGuess::last_force) p.last_force.create(n);
        if (laws_[static_cast<std::size_t>(phase.material)].stretch.flow)
            p.hardening.create(n), p.flow.create(n);
        if (settings_.is_lazy()) p.rest_x.create(n), p.plastic_F.create(n);
        for (std::size_t i = 0; i < n; ++i) {
            p.F.set(i, identity3<Real>());
            if (!settings_.is_lazy()) continue;
            p.rest_x.set(i, p.x.vec(i));
            p.plastic_F.set(i, identity3<Real>());
        }
    }
    if (fresh) put_in_order(phases);
}

// One step, in the order of [Zhou 2013, section 3.4].
template <class Real>
StepReport ImplicitSolver<Real>::advance(std::vector<Phase<Real>>& phases, StepMemory& memory,
                                         Surroundings& surroundings, double dt,
                                         const StepContext& context) {
    const auto stage = [&](const char* name, const auto& work) {
        StageTimer timer(profile_, name);
        return work();
    };
    warning_.clear();
    stage("sort_rows", [&] { sort_rows(phases, memory); });
    stage("find_neighbours", [&] {
        load(settings_, laws_, phases, work_);
        find_neighbours(settings_, work_);
    });
    stage("build_rest", [&] { build_rest(settings_, work_); });
    stage("predict", [&] { predict(settings_, phases, surroundings, dt, work_); });
    stage("freeze_rotations", [&] { freeze_rotations(dt, work_); });
    stage("mark_contacts", [&] { mark_contacts(settings_, phases, surroundings, dt, work_); });
    if (settings_.is_explicit())
        stage("explicit_step", [&] { explicit_step(work_); });
    else
        solve_step(memory, context);
    const ContactReport contact = stage(
        "update_state", [&] { return update_state(settings_, phases, surroundings, dt, work_); });
    const FlowCount flowed =
        stage("flow", [&] { return flow(settings_, laws_, phases, dt, work_); });
    context.totals["contacts"] = static_cast<double>(contact.constrained);
    context.totals["body_contacts"] = static_cast<double>(contact.pairs);
    context.totals["flowing"] = static_cast<double>(flowed.flowing);
    context.totals["held_back"] = static_cast<double>(flowed.kept);
    context.totals["renewed"] += static_cast<double>(flowed.renewed);
    if (settings_.is_explicit() &&
        (!(memory.stable_dt > 0) || context.step % steps_between_bounds == 0))
        memory.stable_dt = largest_stable_step(settings_, laws_, phases, work_);
    return conclude(phases, memory, dt);
}

// Friction depends on reactions and they on friction: a few rough solves settle who sticks and who
// slides, then one to the tolerance, each from the last one's end. Where friction stays as it was,
// the residual of the last solve is the right side of the next.
template <class Real>
void ImplicitSolver<Real>::solve_step(StepMemory&, const StepContext& context) {
    const auto time = [&](const char* name, const auto& work) {
        StageTimer timer(profile_, name);
        return work();
    };
    CgReport report;
    double size = 0;
    bool limit = false, breakdown = false, rough = rubs(work_), changed = true;
    time("precondition", [&] { prepare_preconditioner(settings_, work_); });
    for (int round = 0;; ++round) {
        if (changed) {
            const double left =
                time("assemble_right_side", [&] { return assemble_right_side(work_); });
            if (round == 0) size = left;
        }
        const double target = settings_.tolerance * size * (rough ? rough_solve : 1);
        report = time("solve", [&] { return solve(settings_, target, work_); });
        context.totals["cg_iterations"] += report.iterations;
        context.totals["friction_solves"] += round > 0 ? 1 : 0;
        limit = limit || report.end == SolveEnd::limit;
        breakdown = breakdown || report.end == SolveEnd::breakdown;
        if (work_.constraints.empty()) break;
        changed =
            round + 1 < friction_rounds && time("friction", [&] { return change_friction(work_); });
        if (!changed && !rough) break;
        if (!changed) rough = false;
    }
    context.totals["solves"] += 1;
    context.totals["cg_residual"] = size > 0 ? report.residual / size : 0;
    if (limit) warning_ = limit_warning(settings_);
    context.totals["cg_limit"] += limit ? 1 : 0;
    context.totals["cg_breakdown"] += breakdown ? 1 : 0;
}

template <class Real>
void ImplicitSolver<Real>::sort_rows(std::vector<Phase<Real>>& phases, StepMemory& memory) {
    double widest = 0;
    for (const auto& phase : phases)
        for (std::size_t i = 0; i < phase.particles.size(); ++i)
            widest = std::max(widest, static_cast<double>(phase.particles.volume.at(i)));
    if (memory.drift <= disorder * settings_.support * std::cbrt(widest)) return;
    put_in_order(phases);
    memory.drift = 0;
}

template <class Real>
void ImplicitSolver<Real>::put_in_order(std::vector<Phase<Real>>& phases) {
    for (auto& phase : phases) reorder(phase, bisected_order(phase.particles, pack_lanes<Real>));
    work_.near.forget();
}

// A number that is none, or a body that flies apart, ends the step.
template <class Real>
StepReport ImplicitSolver<Real>::conclude(const std::vector<Phase<Real>>& phases,
                                          StepMemory& memory, double dt) const {
    const std::size_t n = work_.size();
    if (n == 0) return {};
    const Vec3d mean =
        reduce(
            n, Vec3d{0, 0, 0},
            [&](std::size_t i) { return static_cast<Vec3d>(to_vec(work_.delta[i])); },
            std::plus<>{}) /
        static_cast<double>(n);
    struct Most {
        double move = 0, speed = 0, bad = -1;
    };
    double sound = 0;
    for (const auto& law : laws_) sound = std::max(sound, law.stretch.wave_speed);
    const Most most = reduce(
        n, Most{},
        [&](std::size_t i) {
            const Vec3d d = static_cast<Vec3d>(to_vec(work_.delta[i]));
            const double move = length(d - mean), speed = length(d) / dt;
            const bool fine = move < runaway * sound * dt && is_finite(speed);
            return Most{move, speed, fine ? -1.0 : static_cast<double>(i)};
        },
        [](const Most& a, const Most& b) {
            return Most{std::max(a.move, b.move), std::max(a.speed, b.speed),
                        std::max(a.bad, b.bad)};
        });
    memory.drift += most.move;
    memory.max_speed = most.speed;
    if (most.bad < 0) return {true, {}, warning_};
    const auto row = static_cast<std::size_t>(most.bad);
    std::size_t k = 0;
    while (row >= work_.first[k + 1]) ++k;
    return {false, "solve", "a particle flies off faster than any wave",
            phases[k].particles.id.at(row - work_.first[k])};
}

template <class Real>
std::vector<DtLimit> ImplicitSolver<Real>::dt_limits(const std::vector<Phase<Real>>& phases,
                                                     const StepMemory& memory) {
    if (!settings_.is_explicit()) return {{"step of the implicit method", settings_.dt}};
    const double stable = memory.stable_dt > 0
                              ? memory.stable_dt
                              : largest_stable_step(settings_, laws_, phases, work_);
    return {{"largest stable step of the explicit twin", settings_.stability * stable}};
}

// v (mu sum (s - 1)^2 + lambda / 2 (sum (s - 1))^2)
template <class Real>
double ImplicitSolver<Real>::elastic_energy(const std::vector<Phase<Real>>& phases) const {
    double total = 0;
    for (const auto& phase : phases) {
        const Particles<Real>& p = phase.particles;
        const ImplicitLaw<Real>& law = laws_[static_cast<std::size_t>(phase.material)];
        total += reduce(
            p.size(), 0.0,
            [&](std::size_t i) {
                const Vec3d s = svd(static_cast<Mat3d>(p.F.mat(i))).sigma - splat(1.0);
                const double trace = s.x + s.y + s.z;
                return static_cast<double>(p.volume.at(i)) *
                       (law.shear * dot(s, s) + 0.5 * law.lame * trace * trace);
            },
            std::plus<>{});
    }
    return total;
}

template <class Real>
std::vector<std::pair<std::string, double>> ImplicitSolver<Real>::statistics(
    const std::vector<Phase<Real>>&, const std::map<std::string, double>& totals) const {
    std::vector<std::pair<std::string, double>> list;
    for (const char* name :
         {"solves", "cg_iterations", "cg_residual", "cg_limit", "cg_breakdown", "friction_solves",
          "contacts", "body_contacts", "flowing", "held_back", "renewed"}) {
        const auto at = totals.find(name);
        list.emplace_back(name, at == totals.end() ? 0.0 : at->second);
    }
    return list;
}

template class ImplicitSolver<float>;
template class ImplicitSolver<double>;

}  // namespace knead
