// Conjugate gradients with a preconditioner, for symmetric positive (semi)definite systems. The
// caller owns the vectors and runs its own loops, so that it may fuse and thread them:
//
//     struct System {
//         // z = preconditioned r; returns r.z and |r|, in whatever norm the target is meant.
//         CgNorms start();
//         void direct(double beta);      // p = z + beta p
//         double apply();                // q = A p; returns p.q
//         CgNorms descend(double alpha); // x += alpha p, r -= alpha q, z = preconditioned r
//     };
#pragma once

namespace knead {

struct CgNorms {
    double r_dot_z = 0;
    double size = 0;  // of the residual
};

struct CgReport {
    int iterations = 0;
    double residual = 0;
};

template <class System>
CgReport conjugate_gradient(System& system, double target, int max_iterations) {
    CgNorms now = system.start();
    CgReport report{0, now.size};
    double beta = 0;
    while (report.residual > target && report.iterations < max_iterations) {
        system.direct(beta);
        const double curvature = system.apply();
        if (!(curvature > 0)) break;  // nothing left but rounding
        const CgNorms next = system.descend(now.r_dot_z / curvature);
        beta = next.r_dot_z / now.r_dot_z;
        now = next;
        ++report.iterations;
        report.residual = now.size;
    }
    return report;
}

}  // namespace knead
