#include "knead/sim/mpm_on_cpu.h"

#include <algorithm>

#include "knead/mpm/mpm_solver.h"
#include "knead/scenery/scenery.h"

namespace knead {

namespace {

template <class Real>
class MpmOnCpu : public Solver<Real> {
public:
    MpmOnCpu(const Model& model, const MpmSettings& settings)
        : mpm_(settings, model.materials, model.colliders, model.gravity, model.grips,
               model.bending),
          settings_(settings),
          grips_{{}, model.grips, {}, model.gravity},
          seed_(model.seed) {}

    void prepare(State<Real>& state) override { mpm_.prepare(state.phases, state.memory); }
    std::vector<DtLimit> dt_limits(const State<Real>& state) override {
        std::vector<DtLimit> limits = mpm_.dt_limits(state.phases, state.memory, state.time);
        double longest = 1;
        for (const DtLimit& limit : limits) longest = std::min(longest, limit.dt);
        const double reach = settings_.cfl * settings_.dx;
        for (DtLimit& limit : scenery_dt_limits(grips_, state.time, longest, reach))
            limits.push_back(std::move(limit));
        return limits;
    }
    StepReport advance(State<Real>& state, double dt) override {
        std::swap(state.kicks, mpm_.kicks());
        StepReport report = mpm_.advance(state.phases, state.memory, state.time, dt,
                                         {seed_, state.step, state.next_id, state.totals});
        std::swap(state.kicks, mpm_.kicks());
        return report;
    }
    void hold_belt(std::size_t c, bool held) override { mpm_.hold_belt(c, held); }
    double affine_inertia() const override { return settings_.affine_inertia(); }
    double elastic_energy(const State<Real>& state) const override {
        return mpm_.elastic_energy(state.phases);
    }
    std::vector<std::pair<std::string, double>> statistics(
        const State<Real>& state) const override {
        return mpm_.statistics(state.phases, state.totals);
    }
    std::vector<std::pair<std::string, double>> timings() const override {
        return mpm_.profile().stages();
    }
    std::size_t workspace_bytes() const override { return mpm_.workspace_bytes(); }

private:
    MpmSolver<Real> mpm_;
    MpmSettings settings_;
    Scenery grips_;  // colliders are the method's own
    std::uint64_t seed_;
};

}  // namespace

template <class Real>
std::unique_ptr<Solver<Real>> make_mpm_solver(const Model& model, const MpmSettings& settings) {
    return std::make_unique<MpmOnCpu<Real>>(model, settings);
}

template std::unique_ptr<Solver<float>> make_mpm_solver(const Model&, const MpmSettings&);
template std::unique_ptr<Solver<double>> make_mpm_solver(const Model&, const MpmSettings&);

}  // namespace knead
