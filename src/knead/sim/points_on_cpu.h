// The point methods as solvers.
#pragma once

#include <memory>

#include "knead/sim/solver.h"

namespace knead {

template <class Real>
std::unique_ptr<Solver<Real>> make_points_solver(const Model& model,
                                                 const IncrementalSettings& settings);
template <class Real>
std::unique_ptr<Solver<Real>> make_points_solver(const Model& model,
                                                 const EmbeddedSettings& settings);

template <class Real>
std::unique_ptr<Solver<Real>> make_points_solver(const Model& model,
                                                 const ImplicitSettings& settings);

}  // namespace knead
