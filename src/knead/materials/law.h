// The closed list of laws, each a small value that runs on a float, a double or a SIMD pack, on CPU
// and GPU. A solver visits the list once a phase; what it visits looks like this:
//
//     struct SomeLaw<Real> {
//         static constexpr unsigned columns = uses_F | ...;   // what it remembers
//         // Whether it is the law of a material; and the law with that material's numbers.
//         static bool fits(const Material&, const Tearing&);
//         static SomeLaw of(const Material&, const Tearing&);
//         // Carries the state through one step with velocity gradient L, given as dt_L = dt * L;
//         // returns the Kirchhoff stress at its end [Pa].
//         template <class T>
//         Sym3<T> advance(MaterialState<T>&, const Mat3<T>& dt_L, Real dt) const;
//         // Kirchhoff stress of a state [Pa], without viscous parts.
//         template <class T> Sym3<T> stress(const MaterialState<T>&) const;
//         // Stored energy a reference volume [J/m3].
//         template <class T> T energy(const MaterialState<T>&) const;
//         Real stiffness() const;   // largest eigenvalue of d2W/dF2 at rest [Pa], bounds dt
//         Real viscosity() const;   // Newtonian part [Pa s], bounds dt; 0 for most
//     };
//
// A new law is one header in laws/ and one line here; what it remembers besides is in
// material_state.h.
#pragma once

#include <variant>

#include "knead/materials/elasticity/corotated_linear.h"
#include "knead/materials/elasticity/fixed_corotated.h"
#include "knead/materials/flow/herschel_bulkley.h"
#include "knead/materials/laws/creep_solid.h"
#include "knead/materials/laws/fluid.h"
#include "knead/materials/laws/foam.h"
#include "knead/materials/laws/hencky_solid.h"
#include "knead/materials/laws/polar_solid.h"
#include "knead/materials/laws/sand.h"
#include "knead/materials/laws/tearing_foam.h"
#include "knead/materials/material.h"

namespace knead {

template <class Real>
using Law =
    std::variant<PolarSolid<Real, FixedCorotated<Real>>, CreepSolid<Real, FixedCorotated<Real>>,
                 PolarSolid<Real, CorotatedLinear<Real>>, CreepSolid<Real, CorotatedLinear<Real>>,
                 HenckySolid<Real, NoFlow>, HenckySolid<Real, VonMises<Real>>,
                 HenckySolid<Real, HerschelBulkley<Real>>, Sand<Real>,
                 CreepSolid<Real, Hencky<Real>>, Foam<Real, NoFlow>, Foam<Real, VonMises<Real>>,
                 Foam<Real, HerschelBulkley<Real>>, TearingFoam<Real, NoFlow>,
                 TearingFoam<Real, VonMises<Real>>, TearingFoam<Real, HerschelBulkley<Real>>,
                 Fluid<Real>>;

// The law of a material. Throws InputError, with the flow rules it can have, when its elastic law
// and flow rule do not go together. Real is float or double.
template <class Real>
Law<Real> make_law(const Material& material, const Tearing& tearing = {});

// Whether make_law takes this pair.
bool is_supported(ElasticLaw elastic, FlowRule flow);

}  // namespace knead
