// Conjugate gradients, MINRES and Newton against Eigen's direct answers.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "knead/math/krylov.h"
#include "knead/math/minres.h"
#include "knead/math/newton.h"

namespace knead {

namespace {

using Matrix = Eigen::MatrixXd;
using Column = Eigen::VectorXd;

struct EigenSpace {
    using Vector = Column;
    Column like(const Column& a) const { return Column::Zero(a.size()); }
    double dot(const Column& a, const Column& b) const { return a.dot(b); }
    void combine(double a, const Column& x, double b, Column& y) const { y = a * x + b * y; }
};

// A random symmetric matrix with these eigenvalues.
Matrix symmetric(const Column& values) {
    std::srand(7);
    const Matrix random = Matrix::Random(values.size(), values.size());
    const Matrix q = Eigen::HouseholderQR<Matrix>(random).householderQ();
    return q * values.asDiagonal() * q.transpose();
}
Column spread(int n, double low, double high) {
    return Column::LinSpaced(n, std::log(low), std::log(high)).array().exp();
}
auto product(const Matrix& A) {
    return [&A](const Column& x, Column& y) { y = A * x; };
}
auto divided_by_diagonal(const Matrix& A) {
    return [&A](const Column& r, Column& z) { z = r.cwiseQuotient(A.diagonal()); };
}

}  // namespace

TEST(ConjugateGradient, FindsWhatCholeskyFinds) {
    const Matrix A = symmetric(spread(40, 1, 1e4));
    const Column b = Column::Random(40), exact = A.llt().solve(b);
    Column x = Column::Random(40);
    ProjectedSystem system(EigenSpace{}, product(A), b, x, divided_by_diagonal(A));
    const CgReport report = conjugate_gradient(system, 1e-11, 400);
    EXPECT_EQ(report.end, SolveEnd::converged);
    EXPECT_LT((x - exact).norm() / exact.norm(), 1e-9);
    EXPECT_NEAR(system.residual().norm(), report.residual, 1e-15);
}

TEST(ConjugateGradient, TakesOneIterationForEachDifferentEigenvalue) {
    Column values(30);
    for (int i = 0; i < 30; ++i) values[i] = std::array{1.0, 5.0, 40.0}[static_cast<size_t>(i % 3)];
    const Matrix A = symmetric(values);
    const Column b = Column::Random(30);
    Column x = Column::Zero(30);
    ProjectedSystem system(EigenSpace{}, product(A), b, x);
    EXPECT_EQ(conjugate_gradient(system, 1e-10, 100).iterations, 3);
}

// Rows 0 to 4 are fixed: the rest solves its own block, with what the fixed ones pull.
TEST(ConjugateGradient, LeavesWhatTheProjectionFixes) {
    const Matrix A = symmetric(spread(25, 1, 100));
    const Column b = Column::Random(25);
    Column x = Column::Random(25);
    const Column fixed = x.head(5);
    const auto project = [](Column& v) { v.head(5).setZero(); };
    ProjectedSystem system(EigenSpace{}, product(A), b, x, divided_by_diagonal(A), project);
    EXPECT_EQ(conjugate_gradient(system, 1e-12, 200).end, SolveEnd::converged);
    EXPECT_EQ(x.head(5), fixed);
    const Column exact =
        A.bottomRightCorner(20, 20).llt().solve(b.tail(20) - A.bottomLeftCorner(20, 5) * fixed);
    EXPECT_LT((x.tail(20) - exact).norm(), 1e-10);
}

TEST(ConjugateGradient, SaysWhatEndedIt) {
    const Column b = Column::Ones(20);
    const auto end = [&](const Matrix& A, int most) {
        Column x = Column::Zero(20);
        ProjectedSystem system(EigenSpace{}, product(A), b, x);
        return conjugate_gradient(system, 1e-10, most);
    };
    const CgReport short_ = end(symmetric(spread(20, 1, 1e6)), 3);
    EXPECT_EQ(short_.end, SolveEnd::limit);
    EXPECT_EQ(short_.iterations, 3);
    EXPECT_EQ(end(-Matrix::Identity(20, 20), 50).end, SolveEnd::breakdown);
}

TEST(Minres, SolvesIndefiniteSystems) {
    Column values = spread(40, 1, 1e3);
    for (int i = 0; i < 40; i += 3) values[i] = -values[i];
    const Matrix A = symmetric(values);
    const Column b = Column::Random(40), exact = A.fullPivLu().solve(b);
    const auto scale = [](const Column& r, Column& z) {
        z = r;
        for (int i = 0; i < r.size(); ++i) z[i] /= 1.0 + 0.1 * i;
    };
    for (const bool preconditioned : {false, true}) {
        Column x = Column::Random(40);
        const CgReport report = preconditioned
                                    ? minres(EigenSpace{}, product(A), b, x, 1e-12, 400, scale)
                                    : minres(EigenSpace{}, product(A), b, x, 1e-12, 400);
        EXPECT_EQ(report.end, SolveEnd::converged);
        EXPECT_LT((x - exact).norm() / exact.norm(), 1e-8) << preconditioned;
    }
}

// The residual never grows from one iteration to the next, which conjugate gradients do not
// promise.
TEST(Minres, NeverLetsTheResidualGrow) {
    Column values = spread(30, 1, 1e3);
    for (int i = 0; i < 30; i += 2) values[i] = -values[i];
    const Matrix A = symmetric(values);
    const Column b = Column::Random(30);
    double before = b.norm();
    for (int k = 1; k < 30; ++k) {
        Column x = Column::Zero(30);
        const CgReport report = minres(EigenSpace{}, product(A), b, x, 1e-13, k);
        const double now = (b - A * x).norm();
        EXPECT_LE(now, before * (1 + 1e-9));
        EXPECT_NEAR(report.residual, now, 1e-8);
        before = now;
    }
}

TEST(Minres, LeavesWhatTheProjectionFixes) {
    Column values = spread(24, 1, 50);
    values[3] = -7;
    const Matrix A = symmetric(values);
    const Column b = Column::Random(24);
    Column x = Column::Random(24);
    const Column fixed = x.head(4);
    const auto project = [](Column& v) { v.head(4).setZero(); };
    minres(EigenSpace{}, product(A), b, x, 1e-13, 200, NoPreconditioner{}, project);
    EXPECT_EQ(x.head(4), fixed);
    const Column exact = A.bottomRightCorner(20, 20).fullPivLu().solve(
        b.tail(20) - A.bottomLeftCorner(20, 4) * fixed);
    EXPECT_LT((x.tail(20) - exact).norm(), 1e-9);
}

namespace {

// E = sum of cosh(x_i - i / 10) + x.A x / 2: convex, far from quadratic.
struct Cosh {
    Matrix A = symmetric(spread(12, 0.1, 10));
    Column x = 6 * Column::Ones(12), g, d;

    double energy() const {
        double e = 0.5 * x.dot(A * x);
        for (int i = 0; i < 12; ++i) e += std::cosh(x[i] - 0.1 * i);
        return e;
    }
    double gradient() {
        g = A * x;
        for (int i = 0; i < 12; ++i) g[i] += std::sinh(x[i] - 0.1 * i);
        return g.norm();
    }
    double direction() {
        Matrix H = A;
        for (int i = 0; i < 12; ++i) H(i, i) += std::cosh(x[i] - 0.1 * i);
        d = -H.llt().solve(g);
        return g.dot(d);
    }
    void move(double t) { x += t * d; }
};

// A valley with a bend, where the whole step overshoots.
struct Valley {
    double x = -1.2, y = 1, gx = 0, gy = 0, dx = 0, dy = 0;
    double energy() const { return 100 * (y - x * x) * (y - x * x) + (1 - x) * (1 - x); }
    double gradient() {
        gx = -400 * x * (y - x * x) - 2 * (1 - x), gy = 200 * (y - x * x);
        return std::hypot(gx, gy);
    }
    double direction() {
        Eigen::Matrix2d H;
        H << 1200 * x * x - 400 * y + 2, -400 * x, -400 * x, 200;
        const Eigen::Vector2d s = -H.inverse() * Eigen::Vector2d(gx, gy);
        dx = s[0], dy = s[1];
        return gx * dx + gy * dy;
    }
    void move(double t) { x += t * dx, y += t * dy; }
};

}  // namespace

TEST(Newton, FindsTheMinimumOfAConvexEnergyQuadratically) {
    Cosh problem;
    const NewtonReport report = newton(problem, {.target = 1e-10, .max_iterations = 20});
    EXPECT_EQ(report.end, NewtonEnd::converged);
    EXPECT_LE(report.iterations, 12);
    EXPECT_LT(problem.gradient(), 1e-10);
}

TEST(Newton, HalvesStepsThatOvershoot) {
    Valley problem;
    const NewtonReport report = newton(problem, {.target = 1e-9, .max_iterations = 60});
    EXPECT_EQ(report.end, NewtonEnd::converged);
    EXPECT_GT(report.halvings, 0);
    EXPECT_NEAR(problem.x, 1, 1e-8);
    EXPECT_NEAR(problem.y, 1, 1e-8);
}

TEST(Newton, StopsAtItsLimitAndWhereNothingDescends) {
    Valley problem;
    EXPECT_EQ(newton(problem, {.target = 1e-9, .max_iterations = 2}).end, NewtonEnd::limit);
    struct Uphill : Valley {
        double direction() {
            const double slope = Valley::direction();
            dx = -dx, dy = -dy;
            return -slope;
        }
    } wrong;
    EXPECT_EQ(newton(wrong, {.target = 1e-9}).end, NewtonEnd::no_descent);
}

}  // namespace knead
