#include "knead/sim/points_on_cpu.h"

#include <algorithm>

#include "knead/points/embedded/embedded_solver.h"
#include "knead/points/implicit/implicit_solver.h"
#include "knead/points/incremental/incremental_solver.h"

namespace knead {

namespace {

// A method with what surrounds its particles.
template <class Real, class Method>
class PointsOnCpu : public Solver<Real> {
public:
    PointsOnCpu(const Model& model, Method method, double spacing, double wall_distance)
        : method_(std::move(method)),
          scenery_{model.colliders, model.grips, model.pulls, model.gravity},
          reach_(0.5 * spacing),
          seed_(model.seed) {
        for (const BodyInfo& body : model.bodies) spacing = std::min(spacing, body.spacing);
        gap_ = wall_distance * spacing;
    }

    void prepare(State<Real>& state) override {
        const bool fresh = state.step == 0 && state.rigid.empty();
        method_.prepare(state.phases);
        if (!fresh) return;
        stick_at_start(scenery_.colliders, state.time, 2 * reach_, state.phases);
        take_hold(scenery_.grips, state.phases);
        for (const Collider& c : scenery_.colliders)
            state.rigid.push_back({c.motion.pose(state.time), c.motion.twist(state.time)});
    }
    std::vector<DtLimit> dt_limits(const State<Real>& state) override {
        std::vector<DtLimit> limits = method_.dt_limits(state.phases, state.memory);
        double longest = 1;
        for (const DtLimit& limit : limits) longest = std::min(longest, limit.dt);
        for (DtLimit& limit : scenery_dt_limits(scenery_, state.time, longest, reach_))
            limits.push_back(std::move(limit));
        return limits;
    }
    StepReport advance(State<Real>& state, double dt) override {
        Surroundings surroundings(scenery_, state.rigid, state.time, dt, gap_);
        StepReport report;
        if (state.particle_count() > 0)  // else all of it is yet to come, or gone
            report = method_.advance(state.phases, state.memory, surroundings, dt,
                                     {seed_, state.step, state.next_id, state.totals});
        surroundings.finish();
        return report;
    }
    void hold_belt(std::size_t c, bool held) override {
        scenery_.colliders[c].motion.belt.held = held;
    }
    double elastic_energy(const State<Real>& state) const override {
        return method_.elastic_energy(state.phases);
    }
    std::vector<std::pair<std::string, double>> statistics(
        const State<Real>& state) const override {
        return method_.statistics(state.phases, state.totals);
    }
    std::vector<std::pair<std::string, double>> timings() const override {
        return method_.profile().stages();
    }
    std::size_t workspace_bytes() const override { return method_.workspace_bytes(); }

private:
    Method method_;
    Scenery scenery_;
    double reach_;  // that obstacles and grips may move in a step [m]
    double gap_;    // between obstacles and the middles of particles [m]
    std::uint64_t seed_;
};

template <class Real>
IncrementalSolver<Real> method_of(const IncrementalSettings& s, const std::vector<Material>& m) {
    return {s, m};
}
template <class Real>
EmbeddedSolver<Real> method_of(const EmbeddedSettings& s, const std::vector<Material>& m) {
    return {s, m};
}
template <class Real>
ImplicitSolver<Real> method_of(const ImplicitSettings& s, const std::vector<Material>& m) {
    return {s, m};
}

// In spacings; the implicit method's contact is with the middles of particles.
template <class Settings>
double wall_distance_of(const Settings& s) {
    if constexpr (requires { s.wall_distance; }) return s.wall_distance;
    return 0;
}

}  // namespace

template <class Real, class Settings>
std::unique_ptr<Solver<Real>> make_points_solver(const Model& model, const Settings& settings) {
    using Method = decltype(method_of<Real>(settings, model.materials));
    return std::make_unique<PointsOnCpu<Real, Method>>(
        model, method_of<Real>(settings, model.materials), settings.spacing,
        wall_distance_of(settings));
}

#define INSTANTIATE(Real, Settings) \
    template std::unique_ptr<Solver<Real>> make_points_solver(const Model&, const Settings&);
INSTANTIATE(float, IncrementalSettings)
INSTANTIATE(double, IncrementalSettings)
INSTANTIATE(float, EmbeddedSettings)
INSTANTIATE(double, EmbeddedSettings)
INSTANTIATE(float, ImplicitSettings)
INSTANTIATE(double, ImplicitSettings)
#undef INSTANTIATE

}  // namespace knead
