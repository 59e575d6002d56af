// One material point, driven by hand through the code that the solvers run.
#pragma once

#include "knead/materials/law.h"

namespace knead {

class MaterialPoint {
public:
    explicit MaterialPoint(const Material& material);

    // One step with velocity gradient L, given as dt_L = dt * L. dt may be 0: a sudden deformation.
    void advance(const Mat3d& dt_L, double dt);

    const Mat3d& deformation() const { return deformation_; }  // total, elastic and plastic
    Sym3d cauchy() const { return (1 / determinant(deformation_)) * kirchhoff_; }
    const MaterialState<double>& state() const { return state_; }
    double energy() const;

private:
    Law<double> law_;
    MaterialState<double> state_ = MaterialState<double>::rest();
    Mat3d deformation_ = identity3<double>();
    Sym3d kirchhoff_{};
};

}  // namespace knead
