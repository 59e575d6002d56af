#include "knead/materials/material_point.h"

namespace knead {

MaterialPoint::MaterialPoint(const Material& material) : law_(make_law<double>(material)) {}

void MaterialPoint::advance(const Mat3d& dt_L, double dt) {
    deformation_ = deformation_ + dt_L * deformation_;
    kirchhoff_ = std::visit([&](const auto& law) { return law.advance(state_, dt_L, dt); }, law_);
}

double MaterialPoint::energy() const {
    return std::visit([&](const auto& law) { return law.energy(state_); }, law_);
}

}  // namespace knead
