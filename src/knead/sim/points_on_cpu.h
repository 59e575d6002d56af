// The point methods as solvers.
#pragma once

#include <memory>

#include "knead/sim/solver.h"

namespace knead {

// Settings: of one of the point methods. [sim/methods.h]
template <class Real, class Settings>
std::unique_ptr<Solver<Real>> make_points_solver(const Model& model, const Settings& settings);

}  // namespace knead
