// A scene to what a run needs: the fixed Model, and the State it starts from.
#pragma once

#include "knead/scene/estimate.h"
#include "knead/scene/scene.h"
#include "knead/sim/model.h"
#include "knead/sim/state.h"

namespace knead {

template <class Real>
struct Built {
    Model model;
    State<Real> state;
    std::vector<Mistake> warnings;  // the scene's own come first
    Estimate cost;                  // as estimated before it was built
};

// Opens meshes, fills bodies with particles and places colliders. Throws InputError with all that
// is wrong: meshes, bodies without particles, bodies inside colliders; and, before any particle is
// made, a scene that needs more memory than the machine has left. Real is float or double.
template <class Real>
Built<Real> build_model(const Scene& scene);

// The colliders alone, in the scene's order. Throws InputError like build_model.
std::vector<Collider> build_colliders(const Scene& scene);

}  // namespace knead
