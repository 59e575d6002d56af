// Conjugate gradients with a preconditioner and constraints, for symmetric positive (semi)definite
// systems. The loop knows no vectors: a system runs its own, so that it may fuse and thread them:
//
//     struct System {
//         // z = preconditioned r; returns r.z and |r|, in whatever norm the target is meant.
//         CgNorms start();
//         void direct(double beta);      // p = z + beta p
//         double apply();                // q = A p; returns p.q
//         CgNorms descend(double alpha); // x += alpha p, r -= alpha q, z = preconditioned r
//     };
//
// A constrained system keeps r, q and z within what its constraints leave free. ProjectedSystem
// (krylov.h) is one over any vectors, with the projection as a hook.
#pragma once

namespace knead {

struct CgNorms {
    double r_dot_z = 0;
    double size = 0;  // of the residual
};

// What ended a solve: the residual fell below the target; as many iterations as were allowed; or a
// direction without curvature, where rounding is all that is left or the matrix is not positive.
enum class SolveEnd { converged, limit, breakdown };

struct CgReport {
    int iterations = 0;
    double residual = 0;
    SolveEnd end = SolveEnd::converged;
};

template <class System>
CgReport conjugate_gradient(System& system, double target, int max_iterations) {
    CgNorms now = system.start();
    CgReport report{0, now.size};
    double beta = 0;
    while (report.residual > target && report.iterations < max_iterations) {
        system.direct(beta);
        const double curvature = system.apply();
        if (!(curvature > 0)) {
            report.end = SolveEnd::breakdown;
            return report;
        }
        const CgNorms next = system.descend(now.r_dot_z / curvature);
        beta = next.r_dot_z / now.r_dot_z;
        now = next;
        ++report.iterations;
        report.residual = now.size;
    }
    if (!(report.residual <= target)) report.end = SolveEnd::limit;
    return report;
}

}  // namespace knead
