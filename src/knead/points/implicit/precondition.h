// What makes the solve short: an approximate inverse of M + dt^2 K.
#pragma once

#include "knead/points/implicit/settings.h"
#include "knead/points/implicit/workspace.h"

namespace knead {

// Once a step: it may lag behind who sticks and who slides.
template <class Real>
void prepare_preconditioner(const ImplicitSettings& settings, ImplicitWorkspace<Real>& work);

// z = B r, with B the inverse of the diagonal blocks.
template <class Real>
void invert_blocks(const ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& r,
                   Array<Lanes<Real>>& z);

}  // namespace knead
