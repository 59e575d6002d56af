// The laws of a material's sheets and curves, and what of the model is switched off
// [Jiang 2017, Fig. 10].
#pragma once

#include <cmath>
#include <numbers>

#include "knead/materials/codimensional/fibre.h"
#include "knead/materials/codimensional/sheet.h"
#include "knead/materials/material.h"
#include "knead/mpm/settings.h"

namespace knead {

template <class Real>
SheetLaw<Real> sheet_law(const Material& m, ThinModel model) {
    const bool contact = model != ThinModel::lagrangian_only;
    const double angle = m.thin.friction_angle * std::numbers::pi / 180;
    return {static_cast<Real>(m.elastic.shear_modulus), static_cast<Real>(lame_lambda(m)),
            static_cast<Real>(contact ? m.thin.compression : 0),
            static_cast<Real>(contact ? m.thin.shear : 0), static_cast<Real>(std::tan(angle))};
}

template <class Real>
FibreLaw<Real> fibre_law(const Material& m, ThinModel model) {
    const bool contact = model != ThinModel::lagrangian_only;
    const double angle = m.thin.friction_angle * std::numbers::pi / 180, sine = std::sin(angle);
    return {static_cast<Real>(contact ? m.elastic.shear_modulus : 0),
            static_cast<Real>(contact ? lame_lambda(m) : 0),
            static_cast<Real>(m.thin.stretch),
            static_cast<Real>(contact ? m.thin.shear : 0),
            static_cast<Real>(std::sqrt(2.0 / 3.0) * 2 * sine / (3 - sine)),
            static_cast<Real>(std::tan(angle))};
}

// Calls use(law) with the law of a phase of elements.
template <class Real, class Use>
auto with_thin_law(const Material& m, ThinModel model, std::int64_t corners, const Use& use) {
    return corners == 3 ? use(sheet_law<Real>(m, model)) : use(fibre_law<Real>(m, model));
}

// Columns of d that lie along an element of this law.
template <class Real>
constexpr int tangents(const SheetLaw<Real>&) {
    return 2;
}
template <class Real>
constexpr int tangents(const FibreLaw<Real>&) {
    return 1;
}

// Of an element's volume, the share that its own particle holds: the rest is with its vertices.
inline double own_share(std::int64_t corners) { return 1.0 / static_cast<double>(corners + 1); }

// From the volume of an element's particle to the one that bears its stress.
inline double stressed_share(const Material& m, std::int64_t corners) {
    return m.thin.whole_volume ? 1 / own_share(corners) : 1;
}

}  // namespace knead
