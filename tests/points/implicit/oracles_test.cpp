// Oracles of the fit, the force and the system, one stage at a time.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "knead/points/implicit/elastic_operator.h"
#include "points/implicit/bodies.h"
#include "support/tolerance.h"

namespace knead::implicit_test {

namespace {

using Matrix = Eigen::MatrixXd;
using Column = Eigen::VectorXd;

Mat3d at(const Array<double>* planes, std::size_t i) {
    Mat3d m;
    for (int k = 0; k < 9; ++k) m[k] = planes[k][i];
    return m;
}
// visit(row, neighbour, its weight in the row's fit)
template <class Visit>
void for_each_weight(const ImplicitWorkspace<double>& work, const Visit& visit) {
    constexpr std::size_t L = NeighbourBlock<double>::lanes;
    for (const auto& b : work.near.blocks)
        for (std::size_t group = 0; group < b.groups(); ++group)
            for (std::size_t e = b.begin[group]; e < b.begin[group + 1]; ++e)
                for (std::size_t l = 0; l < static_cast<std::size_t>(b.rows_of(group)); ++l)
                    if (b.weight[L * e + l] > 0)
                        visit(b.first + L * group + l, b.near[b.link[e]], b.weight[L * e + l]);
}
double largest(const Mat3d& m) {
    double most = 0;
    for (int k = 0; k < 9; ++k) most = std::max(most, std::fabs(m[k]));
    return most;
}
// A smooth displacement.
Vec3d wave(const Vec3d& x, double size) {
    return size * Vec3d{std::sin(31 * x.y + 17 * x.z), std::sin(23 * x.x - 29 * x.z),
                        std::cos(19 * x.x + 37 * x.y)};
}

// A jittered block, fitted in the shape it starts in and then displaced by `move`.
struct Fitted {
    Block block{5, 5, 5, 0.05, 0.1};
    ImplicitSettings settings = settings_for(block);
    Trial<double> run;
    Array<Lanes<double>> delta;

    explicit Fitted(double young = 1e5, double dt = 1)
        : run(settings, elastic(young), make_block<double>(block)) {
        run.fit(settings, dt);
        delta.assign(work().size(), Lanes<double>(0.0));
    }
    ImplicitWorkspace<double>& work() { return run.work(); }
    std::size_t n() { return work().size(); }
    void move(const std::function<Vec3d(const Vec3d&)>& to) {
        for (std::size_t i = 0; i < n(); ++i) delta[i] = to_lanes(to(work().x[i]) - work().x[i]);
    }
    // F of every row where delta has taken them, and R of those if asked for.
    std::vector<Mat3d> deformation(bool freeze) {
        std::vector<Mat3d> F(n());
        for_each_gradient(work().near, delta, work().sum_g,
                          [&](std::size_t begin, int count, const Mat3<Pack<double>>& G) {
                              for (int k = 0; k < count; ++k) {
                                  const std::size_t i = begin + static_cast<std::size_t>(k);
                                  F[i] = at(work().F, i);
                                  for (int c = 0; c < 9; ++c) F[i][c] += G[c][k];
                              }
                          });
        if (freeze)
            for (std::size_t i = 0; i < n(); ++i) {
                const Mat3d R = polar_rotation(F[i]);
                for (int c = 0; c < 9; ++c) work().R[c][i] = R[c];
            }
        return F;
    }
    std::vector<Vec3d> forces() {
        Array<Lanes<double>> f;
        elastic_force(work(), delta, f);
        std::vector<Vec3d> out(n());
        for (std::size_t i = 0; i < n(); ++i) out[i] = to_vec(f[i]);
        return out;
    }
    // sum v (mu |sym(R^T F) - I|^2 + lambda / 2 tr^2), rotations frozen, or each at its own F.
    double energy(bool frozen) {
        const std::vector<Mat3d> F = deformation(false);
        double sum = 0;
        for (std::size_t i = 0; i < n(); ++i) {
            const Mat3d R = frozen ? at(work().R, i) : polar_rotation(F[i]);
            const Mat3d U = transpose(R) * F[i] - identity3<double>();
            const Mat3d e = 0.5 * (U + transpose(U));
            sum += work().shear[i] * norm_squared(e) + 0.5 * work().lame[i] * trace(e) * trace(e);
        }
        return sum;
    }
    Matrix matrix() {
        const auto size = static_cast<Eigen::Index>(3 * n());
        Matrix A(size, size);
        Array<Lanes<double>> z(n(), Lanes<double>(0.0)), y(n());
        for (Eigen::Index c = 0; c < size; ++c) {
            const auto i = static_cast<std::size_t>(c / 3);
            z[i].set(static_cast<int>(c % 3), 1);
            apply_matrix(work(), z, y);
            z[i] = Lanes<double>(0.0);
            for (Eigen::Index r = 0; r < size; ++r)
                A(r, c) = y[static_cast<std::size_t>(r / 3)][static_cast<int>(r % 3)];
        }
        return A;
    }
    // Gradient vectors as a table: g_jk, zero where k is no neighbour; g_jj = -sum.
    std::vector<std::vector<Vec3d>> gradients() {
        std::vector<std::vector<Vec3d>> g(n(), std::vector<Vec3d>(n(), Vec3d{0, 0, 0}));
        for_each_weight(work(), [&](std::size_t j, std::size_t k, double w) {
            g[j][k] = w * (at(work().near.basis, j) * (work().x[k] - work().x[j]));
        });
        for (std::size_t j = 0; j < n(); ++j) g[j][j] = -1.0 * to_vec(work().sum_g[j]);
        return g;
    }
};

const Mat3d stretch{1.2, 0.1, -0.05, 0.02, 0.9, 0.1, 0.07, -0.03, 1.1};

// The 6-vector of a strain, engineering shear; and the matrix of moduli.
using Strain = Eigen::Matrix<double, 6, 1>;
Strain encoded(const Mat3d& a) {
    const Mat3d e = 0.5 * (a + transpose(a));
    return (Strain() << e.xx, e.yy, e.zz, 2 * e.yz, 2 * e.xz, 2 * e.xy).finished();
}
// L of all particles: strain of j by the position of k; with W = U^T and V in place of R^T and I
// where given.
Matrix strain_matrix(Fitted& body, const std::vector<Mat3d>& left,
                     const std::vector<Mat3d>& right) {
    const auto g = body.gradients();
    const auto n = static_cast<Eigen::Index>(body.n());
    Matrix L = Matrix::Zero(6 * n, 3 * n);
    for (std::size_t j = 0; j < body.n(); ++j)
        for (std::size_t k = 0; k < body.n(); ++k)
            for (int d = 0; d < 3; ++d) {
                Vec3d e{0, 0, 0};
                e[d] = 1;
                const Mat3d m = outer(left[j] * e, transpose(right[j]) * g[j][k]);
                L.block<6, 1>(6 * static_cast<Eigen::Index>(j),
                              3 * static_cast<Eigen::Index>(k) + d) = encoded(m);
            }
    return L;
}
Matrix moduli(Fitted& body) {
    const auto n = static_cast<Eigen::Index>(body.n());
    Matrix C = Matrix::Zero(6 * n, 6 * n);
    for (Eigen::Index j = 0; j < n; ++j) {
        const double mu = body.work().mu[static_cast<std::size_t>(j)];
        const double lambda = body.work().lambda[static_cast<std::size_t>(j)];
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) C(6 * j + r, 6 * j + c) = lambda + (r == c ? 2 * mu : 0);
            C(6 * j + 3 + r, 6 * j + 3 + r) = mu;
        }
    }
    return C;
}
double relative(const Matrix& a, const Matrix& b) {
    return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

}  // namespace

// Oracle 1.
TEST(ImplicitOracles, TheFitRecoversAffineMaps) {
    Fitted body;
    body.move([](const Vec3d& x) { return stretch * x + Vec3d{0.3, -2, 1}; });
    for (const Mat3d& F : body.deformation(false)) EXPECT_LT(largest(F - stretch), 1e-13);
}

// Oracle 2.
TEST(ImplicitOracles, RigidMotionHasNoStrainAndNoForce) {
    Fitted body;
    const Mat3d Q = random_rotation(5);
    body.move([&](const Vec3d& x) { return Q * x + Vec3d{1, 2, 3}; });
    for (const Mat3d& F : body.deformation(true))
        EXPECT_LT(largest(transpose(Q) * F - identity3<double>()), 1e-12);
    for (const Vec3d& f : body.forces()) EXPECT_LT(length(f) / 500, 1e-12);  // 0.1 of strain: 500 N
}

// Oracle 3: rows sum to zero, and L Q is the encoded sym(R^T F).
TEST(ImplicitOracles, TheStrainMatrixSumsToZeroAndGivesTheStrain) {
    Fitted body;
    body.move([](const Vec3d& x) { return stretch * x + wave(x, 0.003); });
    const std::vector<Mat3d> F = body.deformation(true);
    std::vector<Mat3d> left, right(body.n(), identity3<double>());
    for (std::size_t i = 0; i < body.n(); ++i) left.push_back(transpose(at(body.work().R, i)));
    const Matrix L = strain_matrix(body, left, right);
    const auto n = static_cast<Eigen::Index>(body.n());
    Column q(3 * n), shift(3 * n);
    for (Eigen::Index i = 0; i < n; ++i)
        for (int d = 0; d < 3; ++d) {
            const auto k = static_cast<std::size_t>(i);
            q[3 * i + d] = body.work().x[k][d] + body.delta[k][d];
            shift[3 * i + d] = d == 1 ? 1 : 0;
        }
    EXPECT_LT((L * shift).cwiseAbs().maxCoeff() / L.cwiseAbs().maxCoeff(), 1e-13);
    const Column strain = L * q;
    for (std::size_t j = 0; j < body.n(); ++j) {
        const Strain expected = encoded(left[j] * F[j]);
        EXPECT_LT((strain.segment<6>(6 * static_cast<Eigen::Index>(j)) - expected).norm(), 1e-14);
    }
}

// Oracle 4: against central differences of both energies.
TEST(ImplicitOracles, TheForceIsTheDerivativeOfTheEnergyFrozenAndTrue) {
    Fitted body;
    body.move([](const Vec3d& x) { return x + wave(x, 0.0105); });
    body.deformation(true);
    const std::vector<Vec3d> f = body.forces();
    double scale = 0;
    for (const Vec3d& a : f) scale = std::max(scale, length(a));
    EXPECT_NEAR(scale, 93, 5);
    for (std::size_t i = 0; i < body.n(); i += 17)
        for (int d = 0; d < 3; ++d)
            for (const bool frozen : {true, false}) {
                const double e = 1e-6, x = body.delta[i][d];
                body.delta[i].set(d, x + e);
                const double up = body.energy(frozen);
                body.delta[i].set(d, x - e);
                const double down = body.energy(frozen);
                body.delta[i].set(d, x);
                EXPECT_NEAR(f[i][d], -(up - down) / (2 * e), (frozen ? 2e-9 : 1e-8) * scale)
                    << frozen;
            }
}

// Oracles 5, 6 and 7: the matrix-free product against L^T C L, in the R form and in the U, V form.
TEST(ImplicitOracles, TheSystemIsSymmetricPositiveAndTheOneOfThePaper) {
    Fitted body(1e5, 0.002);
    body.move([](const Vec3d& x) { return stretch * x + wave(x, 0.003); });
    const std::vector<Mat3d> F = body.deformation(true);
    const Matrix A = body.matrix();
    EXPECT_LT((A - A.transpose()).cwiseAbs().maxCoeff() / A.cwiseAbs().maxCoeff(), 1e-15);
    const double mass = body.work().mass[0];
    const Column values = Eigen::SelfAdjointEigenSolver<Matrix>(A / mass).eigenvalues();
    EXPECT_GE(values[0], 1 - 1e-12);
    int zero_modes = 0;
    for (Eigen::Index i = 0; i < values.size(); ++i) zero_modes += values[i] < 1 + 1e-9 ? 1 : 0;
    EXPECT_EQ(zero_modes, 3);
    EXPECT_LT(values[values.size() - 1], 2);

    std::vector<Mat3d> R, I(body.n(), identity3<double>()), U, V;
    for (const Mat3d& f : F) {
        const Svd3<double> d = svd(f);
        U.push_back(transpose(d.U)), V.push_back(d.V);
    }
    for (std::size_t i = 0; i < body.n(); ++i) R.push_back(transpose(at(body.work().R, i)));
    const Matrix C = moduli(body), M = mass * Matrix::Identity(A.rows(), A.cols());
    const Matrix L = strain_matrix(body, R, I), LV = strain_matrix(body, U, V);
    const Matrix assembled = M + L.transpose() * C * L;
    EXPECT_LT(relative(A, assembled), 1e-12);
    EXPECT_LT(relative(M + LV.transpose() * C * LV, assembled), 1e-14);
}

// Oracle 7 for uneven masses: M + dt^2 L^T C L is symmetric still.
TEST(ImplicitOracles, UnequalMassesKeepTheSystemSymmetric) {
    Fitted body(1e6, 0.002);
    for (std::size_t i = 0; i < body.n(); ++i)
        body.work().mass[i] *= 1 + static_cast<double>(i % 5);
    const Matrix A = body.matrix();
    EXPECT_LT((A - A.transpose()).cwiseAbs().maxCoeff() / A.cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(A).eigenvalues()[0], 0);
}

// Oracle 8: the velocity after one step comes to the explicit one's as dt^2.
TEST(ImplicitOracles, ShortStepsAreThoseOfTheExplicitTwin) {
    const auto difference = [](double dt) {
        Block block{5, 5, 5, 0.05, 0.1};
        ImplicitSettings s = settings_for(block);
        s.tolerance = 1e-12;
        s.guess = FirstGuess::current;  // rotations of the present shape, as the twin's
        std::vector<Trial<double>> both;
        for (const bool twin : {false, true}) {
            s.integrator = twin ? PointIntegrator::explicit_euler : PointIntegrator::implicit_euler;
            auto& run = both.emplace_back(s, elastic(1e5), make_block<double>(block));
            for (std::size_t i = 0; i < run.p().size(); ++i)
                run.p().F.set(i, identity3<double>() + 0.05 * (stretch - identity3<double>()));
            EXPECT_TRUE(run.step(dt).ok);
        }
        double apart = 0, size = 0;
        for (std::size_t i = 0; i < both[0].p().size(); ++i)
            for (std::size_t j = 0; j < both[1].p().size(); ++j) {
                if (both[0].p().id.at(i) != both[1].p().id.at(j)) continue;
                apart += length_squared(both[0].p().v.vec(i) - both[1].p().v.vec(j));
                size += length_squared(both[1].p().v.vec(j));
            }
        return std::sqrt(apart / size);
    };
    const double coarse = difference(1e-3), middle = difference(1e-4), fine = difference(1e-5);
    EXPECT_NEAR(middle / fine, 100, 5);
    EXPECT_NEAR(coarse / middle, 94, 5);
    EXPECT_LT(fine, 1e-4);
}

// Oracle 9.
TEST(ImplicitOracles, ForcesHaveNoSumAndNoMoment) {
    Fitted body;
    body.move([](const Vec3d& x) { return stretch * x + wave(x, 0.004); });
    body.deformation(true);
    const std::vector<Vec3d> f = body.forces();
    Vec3d sum{0, 0, 0}, moment{0, 0, 0};
    double size = 0, turn = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const Vec3d x = body.work().x[i] + to_vec(body.delta[i]);
        sum += f[i], moment += cross(x, f[i]);
        size += length(f[i]), turn += length(cross(x, f[i]));
    }
    EXPECT_LT(length(sum) / size, 1e-12);
    EXPECT_LT(length(moment) / turn, 1e-12);
}

// Oracle 10: stresses and energies of stretched matter, E = 1e5 Pa, nu = 0.3.
TEST(ImplicitOracles, StretchedMatterHasTheStressAndEnergyOfTheClosedForm) {
    struct Case {
        Vec3d stretch, P;
        double energy;
    };
    for (const Case& c : {Case{{1.1, 1, 1}, {13461.538462, 5769.230769, 5769.230769}, 673.076923},
                          Case{{1.1, 1.1, 1.1}, {25000, 25000, 25000}, 3750}}) {
        Fitted body;
        for (std::size_t i = 0; i < body.n(); ++i) body.run.p().F.set(i, diagonal(c.stretch));
        body.run.fit(body.settings);
        const double volume = body.run.p().volume.at(0);
        Mat3<Pack<double>> none;
        for (int k = 0; k < 9; ++k) none[k] = Pack<double>(0.0);
        const auto T = AffineStress<double>{body.work()}(0, 4, none);
        for (int a = 0; a < 3; ++a) EXPECT_NEAR(T(a, a)[0] / volume / c.P[a], 1, 1e-8);
        EXPECT_NEAR(body.run.solver.elastic_energy(body.run.phases) /
                        (volume * static_cast<double>(body.n())) / c.energy,
                    1, 1e-8);
    }
}

// Oracle 10: F = (1.2, 1, 0.9), yield 5000 Pa, nu = 0.5.
TEST(ImplicitOracles, FlowHasTheShareAndStretchOfTheClosedForm) {
    const Block block{5, 5, 5, 0.02};
    ImplicitSettings s = settings_for(block);
    Material m = creeping(1e5, 5000, 0.5);
    m.flow.creep_interval = 0;
    Trial<double> run(s, m, make_block<double>(block));
    for (std::size_t i = 0; i < run.p().size(); ++i) run.p().F.set(i, diagonal(Vec3d{1.2, 1, 0.9}));
    run.fit(s);
    const FlowCount count = flow(s, run.solver.laws(), run.phases, 0.002, run.work());
    EXPECT_EQ(count.flowing, run.p().size());
    for (std::size_t i = 0; i < run.p().size(); ++i) {
        EXPECT_NEAR(run.p().flow.at(i), 0.3864185, 1e-6);
        EXPECT_LT(largest(run.p().F.mat(i) - diagonal(Vec3d{1.1295081, 1.0099623, 0.9467367})),
                  1e-6);
    }
}

// Oracle 11: with rest vectors F_e^-1 q, the next fit without motion is F_e.
TEST(ImplicitOracles, TheNextFitWithoutMotionIsTheKeptDeformation) {
    Block block{6, 6, 6, 0.02, 0.2};
    ImplicitSettings s = settings_for(block);
    Trial<double> run(s, elastic(1e5), make_block<double>(block));
    for (std::size_t i = 0; i < run.p().size(); ++i)
        run.p().F.set(
            i, random_rotation(i) *
                   (identity3<double>() + random_unit(3, i) * (stretch - identity3<double>())));
    run.fit(s);
    ImplicitWorkspace<double>& work = run.work();
    Array<Lanes<double>> x(work.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = to_lanes(work.x[i]);
    for_each_gradient(work.near, x, work.sum_g,
                      [&](std::size_t begin, int count, const Mat3<Pack<double>>& G) {
                          for (int k = 0; k < count; ++k) {
                              const std::size_t i = begin + static_cast<std::size_t>(k);
                              Mat3d F;
                              for (int c = 0; c < 9; ++c) F[c] = G[c][k];
                              EXPECT_TRUE(work.sound[i]);
                              EXPECT_LT(largest(F - run.p().F.mat(i)), 1e-12);
                          }
                      });
}

// Section 9: matter stretched to 1.8 has rest neighbours outside the world ball; the stretched
// search finds them all, so that a lattice keeps its 80.
TEST(ImplicitOracles, TheSearchFollowsStretchedMatter) {
    Block block{11, 11, 11, 0.02};
    ImplicitSettings s = settings_for(block);
    Trial<double> run(s, elastic(1e5), make_block<double>(block));
    for (std::size_t i = 0; i < run.p().size(); ++i) {
        const Vec3d x = run.p().x.vec(i);
        run.p().x.set(i, {1.8 * x.x, x.y, x.z});
        run.p().F.set(i, diagonal(Vec3d{1.8, 1, 1}));
    }
    run.fit(s);
    std::vector<std::size_t> count(run.work().size(), 0);
    for_each_weight(run.work(), [&](std::size_t j, std::size_t, double) { ++count[j]; });
    const std::size_t most = *std::max_element(count.begin(), count.end());
    EXPECT_EQ(most, 80u);
}

// Section 9: neighbours in a plane, or fewer than six, make no fit: no force, and F stays.
TEST(ImplicitOracles, FlatNeighbourhoodsHaveNoForceOfTheirOwn) {
    Block sheet{9, 9, 1, 0.02};
    ImplicitSettings s = settings_for(sheet);
    Trial<double> run(s, elastic(1e5), make_block<double>(sheet));
    run.set_velocity([](const Vec3d& x) { return Vec3d{x.y, 2 * x.x, 1}; });
    ASSERT_TRUE(run.run_until(0.02, 0.002));
    for (std::size_t i = 0; i < run.p().size(); ++i)
        EXPECT_EQ(run.p().F.mat(i), identity3<double>());
    EXPECT_EQ(run.solver.elastic_energy(run.phases), 0);
}

}  // namespace knead::implicit_test
