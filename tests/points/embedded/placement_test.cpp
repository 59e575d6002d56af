// Embedded space: the fit to all rest vectors [Jones 2014, Eq. 9-12] and neighbourhoods from it.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "points/embedded/bodies.h"
#include "support/tolerance.h"

namespace knead {
namespace {

using namespace embedded_test;

EmbeddedSettings precise() {
    EmbeddedSettings s = damped();
    s.embedding = Embedding::linear;
    s.embedding_tolerance = 1e-8;
    return s;
}

template <class Real>
void shake(Body<Real>& body, double size) {
    for (std::size_t i = 0; i < body.size(); ++i) body.p().e.set(i, wave(body.p().x.vec(i), size));
}

TEST(EmbeddedPlacement, AnUndeformedBodyIsFoundAgain) {
    Body<double> body({6, 6, 6, 0.02, 0.3}, solid(1e5, 0.3), precise());
    shake(body, 0.003);
    const Vec3d shift = body.p().e.vec(0) - body.p().x.vec(0);
    EXPECT_GT(embed(body.phase, body.settings, body.work).iterations, 3);
    for (std::size_t i = 0; i < body.size(); ++i)
        EXPECT_LE(length(body.p().e.vec(i) - body.p().x.vec(i) - shift),
                  1e-6 * 0.12 * tolerance::scale());
}

TEST(EmbeddedPlacement, AnUndeformedBodyIsFoundAgainInFloat) {
    Body<float> body({6, 6, 6, 0.02, 0.3}, solid(1e5, 0.3), precise());
    shake(body, 0.003);
    const Vec3d shift = body.p().e.vec(0) - body.p().x.vec(0);
    embed(body.phase, body.settings, body.work);
    for (std::size_t i = 0; i < body.size(); ++i)
        EXPECT_LE(length(body.p().e.vec(i) - body.p().x.vec(i) - shift),
                  1e-4 * 0.12 * tolerance::scale());
}

// The same flow T everywhere: e_ij = T x_ij, and the first particle is the pin.
TEST(EmbeddedPlacement, EvenFlowMapsTheWholeBodyAndThePinStays) {
    Body<double> body({6, 6, 6, 0.02, 0.3}, solid(1e5, 0.3), precise());
    const Mat3d T{1.05, 0.04, 0, -0.02, 0.97, 0.03, 0.01, 0, 0.99};
    for (std::size_t s = 0; s < body.phase.links.to.size(); ++s)
        body.phase.links.set_rest(s, T * body.phase.links.rest(s));
    embed(body.phase, body.settings, body.work);
    EXPECT_EQ(body.p().e.vec(0), body.p().x.vec(0));
    for (std::size_t i = 0; i < body.size(); ++i)
        EXPECT_LE(length(body.p().e.vec(i) - body.p().e.vec(0) -
                         T * (body.p().x.vec(i) - body.p().x.vec(0))),
                  1e-6 * 0.12 * tolerance::scale());
}

TEST(EmbeddedPlacement, EveryPieceHasItsOwnPin) {
    Body<double> body({4, 4, 4, 0.02, 0.3}, solid(1e5, 0.3), precise());
    Phase<double> two = body.phase;
    // The same body again, far away: two pieces.
    const std::size_t n = body.size();
    two.particles.resize(2 * n);
    two.links.resize(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
        two.particles.x.set(n + i, two.particles.x.vec(i) + Vec3d{1, 0, 0});
        two.particles.e.set(n + i, two.particles.x.vec(n + i));
        two.particles.support.at(n + i) = two.particles.support.at(i);
        two.links.count[n + i] = two.links.count[i];
    }
    for (std::size_t s = 0; s < 32 * n; ++s) {
        two.links.to[32 * n + s] = two.links.to[s] + static_cast<std::int32_t>(n);
        two.links.set_rest(32 * n + s, two.links.rest(s));
    }
    EmbeddedWorkspace<double> work;
    work.graph.build(two.links);
    ASSERT_EQ(work.graph.first_of_piece, (std::vector<std::uint32_t>{0, 64}));
    compute_weights(two, work);
    for (std::size_t i = 0; i < 2 * n; ++i) {
        if (i == 0 || i == n) continue;
        two.particles.e.set(i, wave(two.particles.x.vec(i), 0.002));
    }
    embed(two, body.settings, work);
    for (std::size_t i = 0; i < 2 * n; ++i)
        EXPECT_LE(length(two.particles.e.vec(i) - two.particles.x.vec(i)), 1e-7);
}

// C^T C in full, from the directed links: symmetric, blind to shifts, and to nothing else.
TEST(EmbeddedPlacement, TheMatrixIsSymmetricAndBlindToShiftsAlone) {
    Body<double> body({6, 6, 6, 0.02, 0.3}, solid(1e5, 0.3));
    const auto n = static_cast<Eigen::Index>(body.size());
    LinkLaplacian<double> A;
    Array<double> squares(body.work.weighted.size());
    for (std::size_t s = 0; s < squares.size(); ++s)  // poly6, up to a constant
        squares[s] =
            std::pow(body.work.weighted[s][3] / std::pow(body.p().support.at(s / 32) / 0.06, 3), 2);
    A.set(body.phase.links, body.work.graph, squares);
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(n, n), found(n, n);
    for (std::size_t i = 0; i < body.size(); ++i)
        for (std::size_t s = body.phase.links.first(i); s < body.phase.links.end(i); ++s) {
            const auto a = static_cast<Eigen::Index>(i);
            const auto b = static_cast<Eigen::Index>(body.phase.links.to[s]);
            expected(a, a) += squares[s], expected(b, b) += squares[s];
            expected(a, b) -= squares[s], expected(b, a) -= squares[s];
        }
    Array<Lanes<double>> z(body.size());
    for (Eigen::Index j = 0; j < n; ++j) {
        for (auto& one : z) one = Lanes<double>(0.0);
        z[static_cast<std::size_t>(j)] = Lanes<double>(1.0);
        for (Eigen::Index i = 0; i < n; ++i) found(i, j) = A.row(static_cast<std::size_t>(i), z)[0];
    }
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-14 * expected.maxCoeff());
    EXPECT_LE((found * Eigen::VectorXd::Ones(n)).cwiseAbs().maxCoeff(), 1e-13);
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(found).eigenvalues();
    EXPECT_LE(std::abs(values[0]), 1e-12 * values[n - 1]);
    EXPECT_NEAR(values[1] / values[n - 1], 0.042, 0.01);
}

// Rest spaces that are turned by +-angle about y, from each particle to the next, agree with each
// other but for these turns. The best linear map from the lattice to all of them is the mean of
// both turns, diag(c, 1, c) with c = cos(angle): the linear embedding keeps c^2 of the volume. An
// embedding that is free to turn them back keeps all of it.
TEST(EmbeddedPlacement, RestSpacesThatTurnAgainstEachOtherShrinkTheLinearEmbeddingAlone) {
    const double angle = 0.6, c = std::cos(angle), s = std::sin(angle);
    for (const Embedding kind : {Embedding::linear, Embedding::nonlinear}) {
        Body<double> body({8, 8, 8, 0.02, 0}, solid(1e5, 0.3));
        for (std::size_t i = 0; i < body.size(); ++i) {
            const Vec3d cell = 50 * body.p().x.vec(i);
            const double turn = std::lround(cell.x + cell.y + cell.z) % 2 == 0 ? s : -s;
            const Mat3d R{c, 0, turn, 0, 1, 0, -turn, 0, c};
            for (std::size_t k = body.phase.links.first(i); k < body.phase.links.end(i); ++k)
                body.phase.links.set_rest(k, R * body.phase.links.rest(k));
        }
        compute_weights(body.phase, body.work);
        body.settings.embedding = kind;
        body.settings.nonlinear_rounds = 30;
        embed(body.phase, body.settings, body.work);
        // The map from the lattice to embedded space, about its middle.
        Mat3d A{}, B{};
        Vec3d middle{0, 0, 0}, middle_e{0, 0, 0};
        for (std::size_t i = 0; i < body.size(); ++i)
            middle += body.p().x.vec(i) / 512.0, middle_e += body.p().e.vec(i) / 512.0;
        for (std::size_t i = 0; i < body.size(); ++i) {
            const Vec3d x = body.p().x.vec(i) - middle;
            A = A + outer(x, x);
            B = B + outer(body.p().e.vec(i) - middle_e, x);
        }
        const Mat3d T = B * inverse(A);
        EXPECT_NEAR(determinant(T), kind == Embedding::linear ? c * c : 1, 1e-3);
    }
}

TEST(EmbeddedPlacement, UnmovedPointsKeepTheirNeighbours) {
    Body<double> body({6, 6, 6, 0.02, 0.3}, solid(1e5, 0.3));
    const Links<double> before = body.phase.links;
    EXPECT_EQ(update_neighbours(body.phase, body.settings, body.work), 0u);
    EXPECT_EQ(body.phase.links.to, before.to);
}

// Without settling, new neighbours enter by their embedded vectors, as in the paper.
TEST(EmbeddedPlacement, NeighboursAreTheNearestInEmbeddedSpaceAndOldOnesKeepTheirVectors) {
    Body<double> body({6, 6, 6, 0.02, 0.3}, solid(1e5, 0.3));
    body.settings.settling = 0;
    body.settings.embedding = Embedding::linear;
    for (std::size_t i = 0; i < body.size(); ++i) {
        const Vec3d x = body.p().x.vec(i);
        body.p().e.set(i, {1.4 * x.x, 0.8 * x.y, 0.9 * x.z});
    }
    const Links<double> before = body.phase.links;
    EXPECT_GT(update_neighbours(body.phase, body.settings, body.work), 100u);
    const Links<double>& links = body.phase.links;
    for (std::size_t i = 0; i < body.size(); ++i) {
        // by brute force
        std::vector<std::pair<double, std::int32_t>> all;
        for (std::size_t j = 0; j < body.size(); ++j)
            if (j != i)
                all.emplace_back(length(body.p().e.vec(j) - body.p().e.vec(i)),
                                 static_cast<std::int32_t>(j));
        std::sort(all.begin(), all.end());
        std::vector<std::int32_t> expected;
        for (const auto& [d, j] : all)
            if (expected.size() < 32 && d < body.p().support.at(i)) expected.push_back(j);
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(links.end(i) - links.first(i), expected.size());
        for (std::size_t k = 0; k < expected.size(); ++k) {
            const std::size_t s = links.first(i) + k;
            EXPECT_EQ(links.to[s], expected[k]);
            const auto old =
                std::find(&before.to[before.first(i)], &before.to[before.end(i)], expected[k]);
            const bool known = old != &before.to[before.end(i)];
            const Vec3d e_ij =
                body.p().e.vec(static_cast<std::size_t>(expected[k])) - body.p().e.vec(i);
            EXPECT_EQ(links.rest(s),
                      known ? before.rest(static_cast<std::size_t>(old - before.to.data())) : e_ij);
        }
    }
}

// F^-1 x_ij: whoever enters agrees with the map there is, so that the gradient stays.
TEST(EmbeddedPlacement, NewNeighboursDoNotChangeTheGradient) {
    Body<double> body({6, 6, 6, 0.02, 0.3}, solid(1e5, 0.3));
    const Mat3d G{1.2, 0.3, -0.1, -0.4, 0.8, 0.2, 0.15, -0.25, 1.1};
    for (std::size_t i = 0; i < body.size(); ++i) {
        const Vec3d x = body.p().x.vec(i);
        body.p().e.set(i, {1.4 * x.x, 0.8 * x.y, 0.9 * x.z});
        body.p().x.set(i, G * x);
    }
    EXPECT_GT(update_neighbours(body.phase, body.settings, body.work), 100u);
    compute_weights(body.phase, body.work);
    deformation_gradient(body.phase, body.work);
    for (std::size_t i = 0; i < body.size(); ++i)
        EXPECT_LE(std::sqrt(norm_squared(body.F(i) - G)), 1e-13 * tolerance::scale());
}

}  // namespace
}  // namespace knead
