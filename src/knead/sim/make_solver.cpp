#include "knead/sim/make_solver.h"

#include "knead/mpm/mpm_solver.h"
#include "knead/sim/mpm_on_cuda.h"
#include "knead/sim/points_on_cpu.h"

namespace knead {

namespace {

template <class Real>
class MpmOnCpu : public Solver<Real> {
public:
    explicit MpmOnCpu(const Model& model)
        : mpm_(model.mpm, model.materials, model.colliders, model.gravity),
          affine_inertia_(model.mpm.affine_inertia()),
          seed_(model.seed) {}

    void prepare(State<Real>& state) override { mpm_.prepare(state.phases, state.memory); }
    std::vector<DtLimit> dt_limits(const State<Real>& state) override {
        return mpm_.dt_limits(state.phases, state.memory, state.time);
    }
    StepReport advance(State<Real>& state, double dt) override {
        return mpm_.advance(state.phases, state.memory, state.time, dt,
                            {seed_, state.step, state.next_id, state.totals});
    }
    double affine_inertia() const override { return affine_inertia_; }
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
    double affine_inertia_;
    std::uint64_t seed_;
};

}  // namespace

template <class Real>
std::unique_ptr<Solver<Real>> make_solver(const Model& model, Backend backend) {
    if (model.method != Method::mpm) return make_points_solver<Real>(model, backend);
    if (backend == Backend::cuda) return make_cuda_solver<Real>(model);
    return std::make_unique<MpmOnCpu<Real>>(model);
}

template std::unique_ptr<Solver<float>> make_solver(const Model&, Backend);
template std::unique_ptr<Solver<double>> make_solver(const Model&, Backend);

}  // namespace knead
