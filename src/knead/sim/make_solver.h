// Method, backend and precision to a solver.
#pragma once

#include <memory>

#include "knead/sim/solver.h"

namespace knead {

template <class Real>
std::unique_ptr<Solver<Real>> make_solver(const Model& model, Backend backend);

}  // namespace knead
