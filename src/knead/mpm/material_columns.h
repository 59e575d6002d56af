// The columns a law keeps in a phase's table: made at rest, and summed up as energy.
#pragma once

#include "knead/materials/law.h"
#include "knead/particles/particles.h"

namespace knead {

// Columns the law uses, at rest, and the stress of that state.
template <class Real>
void create_material_columns(const Law<Real>& law, Particles<Real>& particles);

// Sum of volume times energy density [J].
template <class Real>
double stored_energy(const Law<Real>& law, const Particles<Real>& particles);

}  // namespace knead
