// The grid method on the CPU as a solver.
#pragma once

#include <memory>

#include "knead/sim/solver.h"

namespace knead {

template <class Real>
std::unique_ptr<Solver<Real>> make_mpm_solver(const Model& model, const MpmSettings& settings);

}  // namespace knead
