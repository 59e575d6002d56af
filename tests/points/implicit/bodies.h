// Settings and runs for the tests of the implicit method.
#pragma once

#include "knead/math/polar.h"
#include "knead/points/implicit/implicit_solver.h"
#include "points/bodies.h"

namespace knead::implicit_test {

using namespace point_test;

inline ImplicitSettings settings_for(const Block& b) {
    ImplicitSettings s;
    s.spacing = b.spacing;
    return s;
}

template <class Real>
struct Trial : PointTrial<Real, ImplicitSolver, ImplicitSettings> {
    using Base = PointTrial<Real, ImplicitSolver, ImplicitSettings>;
    using Base::Base, Base::p, Base::phases, Base::solver, Base::totals;

    ImplicitWorkspace<Real>& work() { return solver.workspace(); }
    // Least and largest principal stretch of all particles.
    std::pair<double, double> strains() {
        double lo = 1e9, hi = 0;
        for (std::size_t i = 0; i < p().size(); ++i) {
            const Vec3d s = svd(static_cast<Mat3d>(p().F.mat(i))).sigma;
            lo = std::min(lo, s.z), hi = std::max(hi, s.x);
        }
        return {lo, hi};
    }
    double iterations() { return totals["cg_iterations"] / std::max(totals["solves"], 1.0); }

    // The stages up to a body's fit, rotations of the shape it is in, dt = 1 in the moduli.
    void fit(const ImplicitSettings& s, double dt = 1) {
        load(s, solver.laws(), phases, work());
        find_neighbours(s, work());
        build_rest(s, work());
        work().delta.assign(work().size(), Lanes<Real>(Real(0)));
        freeze_rotations(dt, work());
    }
};

inline Mat3d random_rotation(std::uint64_t key) {
    Mat3d m;
    for (int k = 0; k < 9; ++k) m[k] = random_unit(key, static_cast<std::uint64_t>(k)) - 0.5;
    return polar_rotation(m);
}

}  // namespace knead::implicit_test
