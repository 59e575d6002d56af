// One material point, driven by hand through the code that the solvers run: the laws of the grid or
// those of the point methods.
#pragma once

#include "knead/materials/stretch_law.h"

namespace knead {

enum class LawForm { grid, points };

class MaterialPoint {
public:
    // Throws InputError for a material that has no law of this form.
    explicit MaterialPoint(const Material& material, LawForm form = LawForm::grid);

    // One step with velocity gradient L, given as dt_L = dt * L. dt may be 0: a sudden deformation.
    void advance(const Mat3d& dt_L, double dt);

    const Mat3d& deformation() const { return deformation_; }  // total, elastic and plastic
    Sym3d cauchy() const { return (1 / determinant(deformation_)) * kirchhoff_; }
    const MaterialState<double>& state() const { return state_; }
    double energy() const;

private:
    template <class Visit>
    auto visit(const Visit& visit_law) const {
        const auto* points = std::get_if<StretchLaw<double>>(&law_);
        return points ? visit_law(*points) : std::visit(visit_law, std::get<Law<double>>(law_));
    }

    std::variant<Law<double>, StretchLaw<double>> law_;
    MaterialState<double> state_ = MaterialState<double>::rest();
    Mat3d deformation_ = identity3<double>();
    Sym3d kirchhoff_{};
};

}  // namespace knead
