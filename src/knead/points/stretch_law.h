// A material as the point methods use it: stress and energy of principal stretches, and creep.
#pragma once

#include <optional>
#include <variant>

#include "knead/materials/law.h"

namespace knead {

template <class Real>
struct StretchLaw {
    std::variant<CorotatedLinear<Real>, FixedCorotated<Real>, Hencky<Real>> elastic;
    std::optional<Creep<Real>> flow;
    Real density = 0;       // [kg/m3]
    double wave_speed = 0;  // of pressure, at rest [m/s]
};

// Throws InputError for materials that the method cannot take.
template <class Real>
StretchLaw<Real> make_stretch_law(const Material& material);

}  // namespace knead
