#include "knead/sim/pacing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "knead/base/error.h"
#include "knead/sim/preflight.h"

namespace knead {

Pace pace_of(double limit, double remaining, double wait) {
    Pace pace{limit, !(remaining > limit), 1};
    if (pace.last)
        pace.dt = remaining;
    else if (remaining < 2 * limit)
        pace.dt = remaining / 2;
    double most = std::floor(remaining / pace.dt) - 1;
    if (wait > 0) most = std::min(most, std::ceil(wait / pace.dt));
    pace.most = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(most, 1e6)));
    return pace;
}

template <class Real>
DtLimit least_limit(const Model& model, const State<Real>& state, Solver<Real>& solver) {
    const auto limits = sorted_limits(model, state, solver);
    if (limits.empty()) return {"the frame", 1 / model.time.frame_rate};
    const DtLimit& least = limits.front();
    if (least.dt < model.time.min_dt)
        throw RunError(fmt::format(
            "at {:.6g} s the step would have to be {:.3g} s, below time.min_dt = {:.3g} s, because "
            "of: {}",
            state.time, least.dt, model.time.min_dt, least.reason));
    return least;
}

template DtLimit least_limit(const Model&, const State<float>&, Solver<float>&);
template DtLimit least_limit(const Model&, const State<double>&, Solver<double>&);

}  // namespace knead
