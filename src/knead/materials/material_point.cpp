#include "knead/materials/material_point.h"

namespace knead {

MaterialPoint::MaterialPoint(const Material& material, LawForm form) {
    if (form == LawForm::grid)
        law_ = make_law<double>(material);
    else
        law_ = make_stretch_law<double>(material);
}

void MaterialPoint::advance(const Mat3d& dt_L, double dt) {
    deformation_ = deformation_ + dt_L * deformation_;
    kirchhoff_ = visit([&](const auto& law) { return law.advance(state_, dt_L, dt); });
}

double MaterialPoint::energy() const {
    return visit([&](const auto& law) { return law.energy(state_); });
}

}  // namespace knead
