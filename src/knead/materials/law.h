// The closed list of laws, each a small value that runs on a float, a double or a SIMD pack, on CPU
// and GPU. A solver visits the list once a phase; what it visits looks like this:
//
//     struct SomeLaw<Real> {
//         static constexpr unsigned columns = uses_F | ...;           // what it remembers
//         // Carries the state through one step with velocity gradient L; returns the new Kirchhoff
//         // stress. dt_L is dt * L.
//         template <class T> Sym3<T> advance(MaterialState<T>&, const Mat3<T>& dt_L, Real dt)
//         const; template <class T> Sym3<T> stress(const MaterialState<T>&) const;     // Kirchhoff
//         [Pa] template <class T> T energy(const MaterialState<T>&) const;  // a reference volume
//         [J/m3] Real stiffness() const;   // largest eigenvalue of d2W/dF2 at rest [Pa], bounds dt
//         Real viscosity() const;   // Newtonian part [Pa s], bounds dt; 0 for most
//     };
#pragma once

#include <variant>

#include "knead/materials/material.h"
#include "knead/materials/material_state.h"

namespace knead {}  // namespace knead
