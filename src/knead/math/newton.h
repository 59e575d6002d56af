// Newton's method with a line search, for the minimum of a smooth energy. The problem runs its own
// loops:
//
//     struct Problem {
//         double energy();                  // at x
//         double gradient();                // keeps g = dE/dx at x; returns its size
//         double direction();               // keeps d near to -H^-1 g; returns g . d
//         void move(double t);              // x += t d
//     };
#pragma once

#include <cmath>

namespace knead {

struct NewtonSettings {
    double target = 0;  // size of the gradient
    int max_iterations = 20;
    int max_halvings = 30;  // of a step
    double sufficient =
        1e-4;  // share of the promised decrease that a step must bring [Armijo 1966]
};

enum class NewtonEnd { converged, limit, no_descent, no_decrease };

struct NewtonReport {
    int iterations = 0;
    int halvings = 0;
    double gradient = 0;
    NewtonEnd end = NewtonEnd::converged;
};

template <class Problem>
NewtonReport newton(Problem& problem, const NewtonSettings& settings) {
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
        double t = 1, at = 0;
        bool enough = false;
        for (int k = 0; k <= settings.max_halvings && !enough; ++k) {
            if (k > 0) t *= 0.5, ++report.halvings;
            problem.move(t - at);
            at = t;
            const double now = problem.energy();
            enough = now <= energy + settings.sufficient * t * slope;
            if (enough) energy = now;
        }
        if (!enough) {
            problem.move(-at);
            report.end = NewtonEnd::no_decrease;
            return report;
        }
        ++report.iterations;
        report.gradient = problem.gradient();
    }
    return report;
}

}  // namespace knead
