// Which torn particles are beyond the grid.  [mpm-foam oracle O15, traps T6 to T9]
#include "knead/mpm/foam/remove_subgrid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knead/base/random.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

// Torn particles of mass m at the given places, in units of dx.
template <class Real>
Phase<Real> torn_points(const std::vector<Vec3d>& points, double dx, double m = 1e-6) {
    Phase<Real> phase;
    auto& p = phase.particles;
    p.id.create(points.size());
    p.x.create(points.size());
    p.mass.create(points.size(), static_cast<Real>(m));
    p.weak.create(points.size(), Real(1));
    for (std::size_t i = 0; i < points.size(); ++i) {
        p.id.at(i) = static_cast<std::int64_t>(i);
        p.x.set(i, dx * (points[i] + Vec3d{100.2, -7.7, 31.4}));
    }
    return phase;
}

// Lattice of spacing dx / 2, in units of dx.
std::vector<Vec3d> lattice(int nx, int ny, int nz) {
    std::vector<Vec3d> points;
    for (int i = 0; i < nx; ++i)
        for (int j = 0; j < ny; ++j)
            for (int k = 0; k < nz; ++k) points.push_back({i / 2.0, j / 2.0, k / 2.0});
    return points;
}

std::int64_t removed_of(const std::vector<Vec3d>& points, double dx) {
    std::vector<Phase<double>> phases{torn_points<double>(points, dx)};
    return remove_subgrid(phases, dx).removed;
}

// In the middle of a body alone is torn; the eigenvalues around it.
Vec3d spread_at(const std::vector<Vec3d>& points, std::size_t at) {
    std::vector<Phase<double>> phases{torn_points<double>(points, 0.003)};
    for (std::size_t i = 0; i < points.size(); ++i)
        if (i != at) phases[0].particles.weak.at(i) = 0;
    return torn_spread(phases, 0.003)[0];
}

const double sizes[] = {1e-3, 3e-3, 10.0};  // the verdict has no length scale of its own

}  // namespace

TEST(RemoveSubgrid, RemovesWhatIsAloneOrFlat) {
    for (const double dx : sizes) {
        EXPECT_EQ(removed_of({{0, 0, 0}}, dx), 1);
        EXPECT_EQ(removed_of({{0, 0, 0}, {0.5, 0.1, 0}}, dx), 2);
        EXPECT_EQ(removed_of({{0, 0, 0}, {0.5, 0.1, 0}, {0.2, 0.6, 0.3}}, dx), 3);
        EXPECT_EQ(removed_of(lattice(9, 9, 1), dx), 81);
        EXPECT_EQ(removed_of(lattice(1, 12, 1), dx), 12);
        std::vector<Vec3d> slanted;  // a plane along no axis
        for (const Vec3d& x : lattice(9, 9, 1))
            slanted.push_back({x.x, x.y, 0.3 * x.x - 0.8 * x.y});
        EXPECT_EQ(removed_of(slanted, dx), 81);
    }
}

TEST(RemoveSubgrid, KeepsWhatTheGridResolves) {
    for (const double dx : sizes) {
        EXPECT_EQ(removed_of(lattice(12, 12, 2), dx), 0);
        EXPECT_EQ(removed_of(lattice(10, 10, 10), dx), 0);
        EXPECT_EQ(removed_of({{0, 0, 0}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}}, dx), 0);
    }
}

// The covariance of lattices on and off their surface, in dx^2.
TEST(RemoveSubgrid, MeasuresTheSpreadOfLattices) {
    const double far = 0.17948, digits = 5.1e-6;
    const auto expect = [&](const Vec3d& s, const Vec3d& value, double of_least) {
        EXPECT_NEAR(s.x, value.x, digits);
        EXPECT_NEAR(s.y, value.y, digits);
        EXPECT_NEAR(s.z, value.z, of_least);
    };
    expect(spread_at(lattice(12, 12, 2), 12 * 2 * 6 + 2 * 6), {far, far, 0.05765}, digits);
    expect(spread_at(lattice(12, 12, 12), 12 * 12 * 6 + 12 * 6 + 6), {far, far, far}, digits);
    expect(spread_at(lattice(12, 12, 12), 12 * 12 * 6 + 12 * 6), {far, far, 0.0965}, 5.1e-5);
}

// A thread goes only where it is nearly straight: ratio 4e-6 at a jitter of 0.003 dx rms, 5e-5 at
// 0.01 dx.
TEST(RemoveSubgrid, CutsOnlyStraightThreads) {
    const auto thread = [](double rms) {
        std::vector<Vec3d> points;
        for (std::uint64_t i = 0; i < 40; ++i)
            points.push_back({0.5 * static_cast<double>(i),
                              rms * std::sqrt(12.0) * (random_unit(3, i, 0) - 0.5),
                              rms * std::sqrt(12.0) * (random_unit(3, i, 1) - 0.5)});
        return points;
    };
    EXPECT_GT(removed_of(thread(0.001), 0.003), 36);
    EXPECT_LT(removed_of(thread(0.02), 0.003), 4);
}

TEST(RemoveSubgrid, NeverTouchesSoundParticles) {
    std::vector<Phase<float>> phases{torn_points<float>(lattice(5, 5, 1), 0.01, 2e-6)};
    auto& p = phases[0].particles;
    phases[0].blocks.push_back({1, 0, 25});
    for (std::size_t i = 0; i < p.size(); ++i) p.weak.at(i) = i % 3 == 0 ? 1.f : 0.f;
    const RemovalReport report = remove_subgrid(phases, 0.01);
    EXPECT_EQ(report.removed, 9);
    EXPECT_NEAR(report.mass, 9 * 2e-6, 1e-12);
    ASSERT_EQ(p.size(), 16u);
    ASSERT_EQ(phases[0].blocks.size(), 1u);
    EXPECT_EQ(phases[0].blocks[0].end, 16);
    for (std::size_t i = 0, id = 0; i < p.size(); ++i, ++id) {
        if (id % 3 == 0) ++id;
        EXPECT_EQ(p.id.at(i), static_cast<std::int64_t>(id));
    }
    // nothing torn, nothing done
    EXPECT_EQ(remove_subgrid(phases, 0.01).removed, 0);
    EXPECT_EQ(phases[0].blocks.size(), 1u);
    Phase<float> sound = torn_points<float>({{0, 0, 0}}, 0.01);
    sound.particles.weak = {};
    std::vector<Phase<float>> other{sound};
    EXPECT_EQ(remove_subgrid(other, 0.01).removed, 0);
}

// Neighbours of every phase count: two layers are one body, whatever they are made of.
TEST(RemoveSubgrid, SeesAllPhases) {
    std::vector<Vec3d> upper = lattice(9, 9, 1);
    for (Vec3d& x : upper) x.z = 0.5;
    std::vector<Phase<float>> phases{torn_points<float>(lattice(9, 9, 1), 0.01),
                                     torn_points<float>(upper, 0.01)};
    EXPECT_EQ(remove_subgrid(phases, 0.01).removed, 0);
}

// Sheets from flat to thick, with uneven masses: the quick verdict is the plain one, for any number
// of threads.
TEST(RemoveSubgrid, DecidesAsTheEigenvaluesSay) {
    std::vector<Vec3d> points;
    for (int sheet = 0; sheet < 12; ++sheet)
        for (const Vec3d& x : lattice(7, 7, 1)) {
            const double thick = 1e-3 * std::pow(1.8, sheet);
            points.push_back({x.x, x.y + 20.0 * sheet, thick * random_unit(5, points.size())});
        }
    std::int64_t expected = 0, removed[3];
    for (int t = 0; t < 3; ++t) {
        set_thread_count(t + 1);
        std::vector<Phase<double>> phases{torn_points<double>(points, 0.01)};
        auto& p = phases[0].particles;
        for (std::size_t i = 0; i < p.size(); ++i) p.mass.at(i) *= 0.5 + random_unit(6, i);
        if (t == 0)
            for (const Vec3d& s : torn_spread(phases, 0.01)) expected += s.z < 1e-5 * s.x;
        removed[t] = remove_subgrid(phases, 0.01).removed;
    }
    set_thread_count(0);
    EXPECT_GT(expected, 49);
    EXPECT_LT(expected, 11 * 49);
    for (const std::int64_t n : removed) EXPECT_EQ(n, expected);
}

}  // namespace knead
