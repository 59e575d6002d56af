// What the grid makes of a layer that flows along a sticky wall: the method's own equations in one
// dimension and without time, for v = sum N_i v_i with cubic B-splines N_i, nodes at whole numbers
// of cells, those in the wall held, two particles a cell. Lengths are in cells, speeds in cells a
// second. The nodes' velocities minimise
//     sum over particles of  tau_y |v'| + K |v'|^(1+h) / (1+h) - G v.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace knead::testing {

class SlopeOnGrid {
public:
    SlopeOnGrid(int cells, double tau_y, double K, double h)
        : cells_(cells), tau_y_(tau_y), K_(K), h_(h), v_(static_cast<std::size_t>(cells + 1)) {}

    // Finds the flow under a pull G a cell; quick where the last one was little different.
    void solve(double G) {
        const double load = G * cells_ - tau_y_;  // at the wall, beyond yield
        if (load <= 0) return std::fill(v_.begin(), v_.end(), 0.0);
        const double rate = std::pow(load / K_, 1 / h_);
        for (double rounding = rate; rounding > 1e-5 * rate; rounding /= 4)
            for (int k = 0; k < 50 && improve(G, rounding); ++k) continue;
    }
    double node_speed(int node) const { return v_[static_cast<std::size_t>(node - 1)]; }
    double speed(double y) const {
        double sum = 0;
        for (std::size_t i = 0; i < v_.size(); ++i) sum += N(y - node(i)) * v_[i];
        return sum;
    }

private:
    using Row = std::vector<double>;

    static double N(double u) {
        u = std::abs(u);
        return u < 1 ? (u / 2 - 1) * u * u + 2.0 / 3 : u < 2 ? (2 - u) * (2 - u) * (2 - u) / 6 : 0;
    }
    static double slope(double u) {
        const double a = std::abs(u), s = u < 0 ? -1 : 1;
        return s * (a < 1 ? (1.5 * a - 2) * a : a < 2 ? -(2 - a) * (2 - a) / 2 : 0);
    }
    static double node(std::size_t i) { return static_cast<double>(i) + 1; }  // 0 is in the wall

    // The sum above, with |v'| rounded off near zero, and its first and second derivatives.
    double measure(const Row& v, double G, double rounding, Row* gradient,
                   std::vector<Row>* curvature) const {
        double sum = 0;
        for (int p = 0; p < 2 * cells_; ++p) {
            const double y = 0.5 * p + 0.25;
            const std::size_t first = y < 2 ? 0 : static_cast<std::size_t>(y) - 2;
            const std::size_t last = std::min(v.size(), first + 4);
            double s = 0, u = 0;
            for (std::size_t i = first; i < last; ++i) {
                s += slope(y - node(i)) * v[i];
                u += N(y - node(i)) * v[i];
            }
            const double a = std::sqrt(s * s + rounding * rounding), power = std::pow(a, h_ - 1);
            sum += 0.5 * (tau_y_ * a + K_ * power * a * a / (1 + h_) - G * u);
            if (!gradient) continue;
            const double tau = (tau_y_ / a + K_ * power) * s;
            const double stiffness = tau_y_ * rounding * rounding / (a * a * a) +
                                     K_ * power * (1 + (h_ - 1) * s * s / (a * a));
            for (std::size_t i = first; i < last; ++i) {
                const double d = slope(y - node(i));
                (*gradient)[i] += 0.5 * (tau * d - G * N(y - node(i)));
                for (std::size_t j = first; j < last; ++j)
                    (*curvature)[i][j] += 0.5 * stiffness * d * slope(y - node(j));
            }
        }
        return sum;
    }

    // One step of Newton's, shortened until the sum falls; false once it does no more.
    bool improve(double G, double rounding) {
        const std::size_t n = v_.size();
        Row step(n);
        std::vector<Row> H(n, Row(n));
        const double before = measure(v_, G, rounding, &step, &H);
        const Row gradient = step;
        // Gauss; H is symmetric and positive, but for rigid parts of the plug
        for (std::size_t i = 0; i < n; ++i) H[i][i] *= 1 + 1e-12;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = i + 1; k < n; ++k) {
                const double f = H[k][i] / H[i][i];
                for (std::size_t j = i; j < n; ++j) H[k][j] -= f * H[i][j];
                step[k] -= f * step[i];
            }
        double fall = 0;
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t j = i + 1; j < n; ++j) step[i] -= H[i][j] * step[j];
            step[i] /= H[i][i];
            fall += gradient[i] * step[i];
        }
        for (double share = 1; share > 1e-6; share /= 2) {
            Row next = v_;
            for (std::size_t i = 0; i < n; ++i) next[i] -= share * step[i];
            if (measure(next, G, rounding, nullptr, nullptr) > before - 1e-4 * share * fall)
                continue;
            v_ = next;
            return fall > 1e-10 * std::abs(before);
        }
        return false;
    }

    int cells_;
    double tau_y_, K_, h_;
    Row v_;  // of the nodes above the wall
};

}  // namespace knead::testing
