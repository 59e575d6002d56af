// Newton's method with a line search, for the minimum of a smooth energy. The problem runs its own
// loops:
//
//     struct Problem {
//         double energy();                  // at x
//         double gradient();                // keeps g = dE/dx at x; returns its size
//         double direction();               // keeps d near to -H^-1 g; returns g . d
//         void move(double t);              // x += t d
//         bool make_positive();             // optional: from now on directions follow a Hessian
//     };                                    // that is positive definite; false: they did already
#pragma once

#include <cmath>

namespace knead {

struct NewtonSettings {
    double target = 0;  // size of the gradient
    int max_iterations = 20;
    int max_halvings = 30;  // of a step
    double sufficient =
        1e-4;  // share of the promised decrease that a step must bring [Armijo 1966]
    // Where a step promises less than this share of the energy, its decrease is lost in rounding:
    // the whole step is taken, as long as gradients fall.
    double rounding = 0;
};

enum class NewtonEnd { converged, limit, no_descent, no_decrease, rounding };

struct NewtonReport {
    int iterations = 0;
    int halvings = 0;
    double gradient = 0;
    NewtonEnd end = NewtonEnd::converged;
};

namespace newton_detail {

template <class Problem>
bool make_positive(Problem& problem) {
    if constexpr (requires { problem.make_positive(); })
        return problem.make_positive();
    else
        return false;
}

// Halves the step until it brings enough; leaves x where it was if none does.
template <class Problem>
bool search_line(Problem& problem, const NewtonSettings& settings, double slope, double& energy,
                 NewtonReport& report) {
    double t = 1, at = 0;
    for (int k = 0; k <= settings.max_halvings; ++k) {
        if (k > 0) t *= 0.5, ++report.halvings;
        problem.move(t - at);
        at = t;
        const double now = problem.energy();
        if (now <= energy + settings.sufficient * t * slope) {
            energy = now;
            return true;
        }
    }
    problem.move(-at);
    return false;
}

}  // namespace newton_detail

template <class Problem>
NewtonReport newton(Problem& problem, const NewtonSettings& settings) {
    using namespace newton_detail;
    NewtonReport report;
    double energy = problem.energy();
    report.gradient = problem.gradient();
    while (report.gradient > settings.target) {
        if (report.iterations == settings.max_iterations) {
            report.end = NewtonEnd::limit;
            return report;
        }
        const double slope = problem.direction();
        if (!(slope < 0)) {
            report.end = NewtonEnd::no_descent;
            return report;
        }
        const bool blind = -slope <= settings.rounding * std::fabs(energy);
        if (blind) {
            problem.move(1);
            energy = problem.energy();
        } else if (!search_line(problem, settings, slope, energy, report)) {
            energy = problem.energy();
            report.gradient = problem.gradient();
            if (make_positive(problem)) continue;
            report.end = NewtonEnd::no_decrease;
            return report;
        }
        ++report.iterations;
        const double before = report.gradient;
        report.gradient = problem.gradient();
        if (blind && !(report.gradient < 0.9 * before)) {
            if (report.gradient <= settings.target) break;
            report.end = NewtonEnd::rounding;
            return report;
        }
    }
    return report;
}

}  // namespace knead
