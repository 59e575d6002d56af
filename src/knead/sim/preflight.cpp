#include "knead/sim/preflight.h"

#include <algorithm>
#include <cmath>

#include "knead/sim/statistics.h"
#include "knead/sim/streams.h"

namespace knead {

template <class Real>
std::vector<DtLimit> sorted_limits(const Model& model, const State<Real>& state,
                                   Solver<Real>& solver) {
    std::vector<DtLimit> limits = solver.dt_limits(state);
    if (model.time.max_dt > 0) limits.push_back({"time.max_dt of the scene", model.time.max_dt});
    for (DtLimit& limit : limits) limit.dt *= state.dt_scale;
    // A limit that is no number comes first, so that it is not overlooked.
    const auto key = [](const DtLimit& a) { return std::isnan(a.dt) ? -1.0 : a.dt; };
    std::stable_sort(limits.begin(), limits.end(),
                     [&](const DtLimit& a, const DtLimit& b) { return key(a) < key(b); });
    return limits;
}

template <class Real>
static std::vector<DtLimit> limits_with_what_comes(const Model& model, State<Real> state,
                                                   Solver<Real>& solver) {
    solver.prepare(state);
    let_in_one_of_each(model, state);
    solver.prepare(state);
    return sorted_limits(model, state, solver);
}

template <class Real>
Preflight preflight(const Model& model, State<Real>& state, Solver<Real>& solver) {
    Preflight p;
    const double frame = 1 / model.time.frame_rate;
    const bool comes = state.step == 0 && !(model.emitters.empty() && model.streams.empty());
    if (comes) p.limits = limits_with_what_comes(model, state, solver);
    solver.prepare(state);
    if (!comes) p.limits = sorted_limits(model, state, solver);
    p.dt = p.limits.empty() ? frame : std::min(frame, p.limits.front().dt);
    p.substeps_per_frame = std::ceil(frame / p.dt - 1e-9);
    p.particles = state.particle_count();
    p.particle_bytes = 2 * state_bytes(state);
    p.scratch_bytes = solver.workspace_bytes();
    return p;
}

template std::vector<DtLimit> sorted_limits(const Model&, const State<float>&, Solver<float>&);
template std::vector<DtLimit> sorted_limits(const Model&, const State<double>&, Solver<double>&);
template Preflight preflight(const Model&, State<float>&, Solver<float>&);
template Preflight preflight(const Model&, State<double>&, Solver<double>&);

}  // namespace knead
