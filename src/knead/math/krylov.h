// Solves over vectors that the caller chooses. A space says what vectors are:
//
//     struct Space {
//         using Vector = ...;
//         Vector like(const Vector&) const;                       // of the same size, zero
//         double dot(const Vector&, const Vector&) const;         // sums in a fixed order
//         // y = a x + b y
//         void combine(double a, const Vector& x, double b, Vector& y) const;
//     };
//
// (parallel/vectors.h has one on the CPU's threads.) Operators are functions: apply(x, y) sets
// y = A x; precondition(r, z) sets z near to A^-1 r; project(v) takes out of v what constraints
// fix, and is its own square.
#pragma once

#include <cmath>

#include "knead/math/conjugate_gradient.h"

namespace knead {

struct NoProjection {
    template <class Vector>
    void operator()(Vector&) const {}
};
struct NoPreconditioner {
    template <class Vector>
    void operator()(const Vector& r, Vector& z) const {
        z = r;
    }
};

// Whether x holds a guess; from zero, the first product is saved.
enum class StartsAt { guess, zero };

// The system of conjugate_gradient.h: solves P A P x = P b from x, which keeps what the projection
// P takes out of it. Sizes are Euclidean.
template <class Space, class Apply, class Precondition = NoPreconditioner,
          class Project = NoProjection>
class ProjectedSystem {
public:
    using Vector = typename Space::Vector;

    ProjectedSystem(const Space& space, Apply apply, const Vector& b, Vector& x,
                    Precondition precondition = {}, Project project = {},
                    StartsAt start = StartsAt::guess)
        : space_(space),
          start_(start),
          apply_(std::move(apply)),
          precondition_(std::move(precondition)),
          project_(std::move(project)),
          x_(x),
          r_(b),
          z_(space.like(b)),
          p_(space.like(b)),
          q_(space.like(b)) {}

    CgNorms start() {
        if (start_ == StartsAt::guess) {
            apply_(x_, q_);
            space_.combine(-1, q_, 1, r_);
        }
        project_(r_);
        return norms();
    }
    void direct(double beta) { space_.combine(1, z_, beta, p_); }
    double apply() {
        apply_(p_, q_);
        project_(q_);
        return space_.dot(p_, q_);
    }
    CgNorms descend(double alpha) {
        space_.combine(alpha, p_, 1, x_);
        space_.combine(-alpha, q_, 1, r_);
        return norms();
    }
    const Vector& residual() const { return r_; }

private:
    CgNorms norms() {
        precondition_(r_, z_);
        project_(z_);
        return {space_.dot(r_, z_), std::sqrt(space_.dot(r_, r_))};
    }

    Space space_;
    StartsAt start_;
    Apply apply_;
    Precondition precondition_;
    Project project_;
    Vector& x_;
    Vector r_, z_, p_, q_;
};

}  // namespace knead
