// MINRES: least residuals for symmetric systems that need not be positive definite, as those of a
// Newton step in compression. Vectors and operators are those of krylov.h; the preconditioner has
// to be positive definite. [Paige and Saunders 1975]
#pragma once

#include <type_traits>
#include <utility>

#include "knead/math/krylov.h"

namespace knead {

namespace minres_detail {

// z = a x + b y + c z, in one pass where the space has one for it.
template <class Space, class Vector>
void combine(const Space& space, double a, const Vector& x, double b, const Vector& y, double c,
             Vector& z) {
    if constexpr (requires { space.combine(a, x, b, y, c, z); }) {
        space.combine(a, x, b, y, c, z);
    } else {
        space.combine(a, x, c, z);
        space.combine(b, y, 1, z);
    }
}

}  // namespace minres_detail

// Solves P A P x = P b from x, which keeps what the projection P takes out of it. The residual is
// measured in the norm of the preconditioner, |r|^2 = r . M^-1 r; the target is a share of that of
// the start.
template <class Space, class Apply, class Precondition = NoPreconditioner,
          class Project = NoProjection>
CgReport minres(const Space& space, const Apply& apply, const typename Space::Vector& b,
                typename Space::Vector& x, double tolerance, int max_iterations,
                const Precondition& precondition = {}, const Project& project = {},
                StartsAt from = StartsAt::guess) {
    using Vector = typename Space::Vector;
    Vector v_old = space.like(b), v = b, z, q = space.like(b);
    Vector z_old, w_older = space.like(b), w_old = space.like(b);
    if (from == StartsAt::guess) {
        apply(x, q);
        space.combine(-1, q, 1, v);
    }
    project(v);
    // without a preconditioner z is v
    constexpr bool plain = std::is_same_v<Precondition, NoPreconditioner>;
    if constexpr (!plain) z = space.like(b), z_old = space.like(b);
    const auto set_z = [&] {
        if constexpr (!plain) {
            precondition(v, z);
            project(z);
        }
    };
    const auto z_now = [&]() -> const Vector& { return plain ? v : z; };
    set_z();
    double beta = std::sqrt(std::fmax(space.dot(v, z_now()), 0.0)), beta_old = 1;
    const double start = beta;
    double eta = beta, c_old = 1, c = 1, s_old = 0, s = 0;
    CgReport report{0, beta};
    while (report.residual > tolerance * start && report.iterations < max_iterations) {
        // Lanczos: z is M^-1 v, both of them beta times their unit length
        apply(z_now(), q);
        project(q);
        const double alpha = space.dot(z_now(), q) / (beta * beta);
        minres_detail::combine(space, -beta / beta_old, v_old, -alpha / beta, v, 1 / beta, q);
        std::swap(v_old, v);
        std::swap(v, q);
        // the rotation that takes this column to an upper triangle
        const double delta = c * alpha - c_old * s * beta;
        const double rho2 = s * alpha + c_old * c * beta, rho3 = s_old * beta;
        if constexpr (!plain) std::swap(z, z_old);
        set_z();
        const double beta_next = std::sqrt(std::fmax(space.dot(v, z_now()), 0.0));
        const double rho1 = std::hypot(delta, beta_next);
        if (!(rho1 > 0)) {
            report.end = SolveEnd::breakdown;
            return report;
        }
        // the direction is made in place of the one before the last
        minres_detail::combine(space, -rho2 / rho1, w_old, 1 / (rho1 * beta), plain ? v_old : z_old,
                               -rho3 / rho1, w_older);
        std::swap(w_older, w_old);
        const Vector& w = w_old;
        c_old = c, s_old = s;
        c = delta / rho1, s = beta_next / rho1;
        space.combine(c * eta, w, 1, x);
        eta = -s * eta;
        beta_old = beta, beta = beta_next;
        ++report.iterations;
        report.residual = std::fabs(eta);
        if (!(beta > 0)) break;  // the solution is exact
    }
    if (!(report.residual <= tolerance * start)) report.end = SolveEnd::limit;
    return report;
}

}  // namespace knead
