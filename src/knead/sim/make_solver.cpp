#include "knead/sim/make_solver.h"

#include "knead/base/error.h"
#include "knead/sim/mpm_on_cpu.h"
#include "knead/sim/mpm_on_cuda.h"
#include "knead/sim/points_on_cpu.h"

namespace knead {

namespace {

// One factory a settings type: a method without one does not compile.
template <class Real>
struct Make {
    const Model& model;
    Backend backend;

    using Made = std::unique_ptr<Solver<Real>>;

    Made operator()(const MpmSettings& settings) const {
        switch (backend) {
            case Backend::cpu:
                return make_mpm_solver<Real>(model, settings);
            case Backend::cuda:
                return make_cuda_solver<Real>(model);
        }
        throw std::logic_error("an unknown backend");
    }
    Made operator()(const IncrementalSettings& settings) const { return points(settings); }
    Made operator()(const EmbeddedSettings& settings) const { return points(settings); }
    Made operator()(const ImplicitSettings& settings) const { return points(settings); }

private:
    template <class Settings>
    Made points(const Settings& settings) const {
        if (backend != Backend::cpu)
            throw InputError(Place{"--backend cuda"}, "point methods run on the CPU only",
                             "run with --backend cpu, or set solver.method=mpm");
        return make_points_solver<Real>(model, settings);
    }
};

}  // namespace

template <class Real>
std::unique_ptr<Solver<Real>> make_solver(const Model& model, Backend backend) {
    return std::visit(Make<Real>{model, backend}, model.settings);
}

template std::unique_ptr<Solver<float>> make_solver(const Model&, Backend);
template std::unique_ptr<Solver<double>> make_solver(const Model&, Backend);

}  // namespace knead
