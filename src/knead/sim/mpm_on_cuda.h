// The grid solver with its particles on the GPU.
#pragma once

#include <memory>

#include "knead/sim/solver.h"

namespace knead {

// InputError where there is no GPU, or the scene asks for what the GPU does not do.
template <class Real>
std::unique_ptr<Solver<Real>> make_cuda_solver(const Model& model);

}  // namespace knead
