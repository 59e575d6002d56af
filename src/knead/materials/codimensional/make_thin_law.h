// The laws of a material's sheets and curves.
#pragma once

#include <cmath>
#include <numbers>

#include "knead/materials/codimensional/fibre.h"
#include "knead/materials/codimensional/sheet.h"
#include "knead/materials/material.h"

namespace knead {

// Without contact they resist nothing across them.
template <class Real>
SheetLaw<Real> make_sheet_law(const Material& m, bool contact = true) {
    const double angle = m.thin.friction_angle * std::numbers::pi / 180;
    return {static_cast<Real>(m.elastic.shear_modulus), static_cast<Real>(lame_lambda(m)),
            static_cast<Real>(contact ? m.thin.compression : 0),
            static_cast<Real>(contact ? m.thin.shear : 0), static_cast<Real>(std::tan(angle))};
}

template <class Real>
FibreLaw<Real> make_fibre_law(const Material& m, bool contact = true) {
    const double angle = m.thin.friction_angle * std::numbers::pi / 180, sine = std::sin(angle);
    return {static_cast<Real>(contact ? m.elastic.shear_modulus : 0),
            static_cast<Real>(contact ? lame_lambda(m) : 0),
            static_cast<Real>(m.thin.stretch),
            static_cast<Real>(contact ? m.thin.shear : 0),
            static_cast<Real>(std::sqrt(2.0 / 3.0) * 2 * sine / (3 - sine)),
            static_cast<Real>(std::tan(angle))};
}

}  // namespace knead
