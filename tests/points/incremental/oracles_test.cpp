// The stages of the incremental method against closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "knead/points/density.h"
#include "points/incremental/bodies.h"
#include "support/tolerance.h"

namespace knead::incremental_test {

namespace {

double distance(const Mat3d& a, const Mat3d& b) { return std::sqrt(norm_squared(a - b)); }

template <class Real>
double worst_F(Stages<Real>& s, const Mat3d& expected) {
    double worst = 0;
    for (std::size_t i = 0; i < s.p().size(); ++i)
        worst = std::max(worst, distance(static_cast<Mat3d>(s.p().F.mat(i)), expected));
    return worst;
}

double largest(const std::vector<Vec3d>& f) {
    double most = 0;
    for (const Vec3d& a : f) most = std::max(most, length(a));
    return most;
}

double sum_of_lengths(const std::vector<Vec3d>& f) {
    double sum = 0;
    for (const Vec3d& a : f) sum += length(a);
    return sum;
}

Vec3d sum_of(const std::vector<Vec3d>& f) {
    Vec3d sum{0, 0, 0};
    for (const Vec3d& a : f) sum += a;
    return sum;
}

template <class Real>
class Oracle : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Oracle, Reals);

}  // namespace

// The lists of a step against the exact search, and every pair from both sides.
TEST(IncrementalLists, AreTheNearestAndThoseWhoNameThem) {
    Block block{9, 9, 9, 0.02, 0.3};
    Stages<double> s(settings_for(block), elastic(1e5), make_block<double>(block));
    std::vector<Vec3d> points;  // as the lists see them
    for (std::size_t i = 0; i < s.work.size(); ++i)
        points.push_back({s.work.place[4 * i], s.work.place[4 * i + 1], s.work.place[4 * i + 2]});
    const Neighbours own = nearest_within(points, 30, {{0.04}}), both = symmetric(own);
    std::size_t capped = 0, others = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::uint32_t* list = s.work.lists.list(i);
        const int n = s.work.lists.own(i), all = s.work.lists.all(i);
        ASSERT_EQ(std::vector<std::uint32_t>(list, list + n),
                  std::vector<std::uint32_t>(own.of(i).begin(), own.of(i).end()));
        std::vector<std::uint32_t> sorted(list, list + all);
        std::sort(sorted.begin(), sorted.end());
        ASSERT_EQ(sorted, std::vector<std::uint32_t>(both.of(i).begin(), both.of(i).end()));
        capped += n == 30 ? 1 : 0;
        others += all > n ? 1 : 0;
    }
    EXPECT_GT(capped, 50u);  // the test would not see the limit otherwise
    EXPECT_GT(others, 20u);
}

// A jet shoots through a cloud that turns and is squeezed: lists found at different times, most of
// them long ago, still hold all that are near.
TEST(IncrementalLists, CandidatesHoldAllWithinReachWhileAJetPassesThrough) {
    constexpr double h = 0.04;
    std::vector<Vec3d> points(4000);
    for (std::size_t i = 0; i < points.size(); ++i)
        for (int a = 0; a < 3; ++a)
            points[i][a] = 0.4 * random_unit(5, i, static_cast<std::uint64_t>(a));
    Candidates candidates;
    for (int step = 0; step < 40; ++step) {
        candidates.update(points, h);
        for (std::size_t i = 0; i < points.size(); ++i) {
            const std::uint32_t *list = candidates.list(i), *end = list + candidates.count(i);
            ASSERT_TRUE(std::is_sorted(list, end));
            for (std::size_t j = 0; j < points.size(); ++j)
                if (j != i && length(points[j] - points[i]) < h) {
                    ASSERT_TRUE(std::binary_search(list, end, static_cast<std::uint32_t>(j)));
                }
        }
        for (Vec3d& x : points) {
            const bool jet = std::hypot(x.x - 0.1, x.y - 0.1) < 0.02;
            x = x + 0.01 * Vec3d{-x.y - 0.5 * x.x, x.x, 0} + Vec3d{0, 0, jet ? 0.003 : 0.0};
        }
    }
}

// y = G x + t gives dF = G, for both weights. [Gerszewski 2009, Eq. 6]
TYPED_TEST(Oracle, TheFitReproducesAffineMotion) {
    const Mat3d G{1.05, -0.1, 0.02, 0.07, 0.96, 0.1, -0.04, 0.03, 1.1};
    for (const int power : {1, 2}) {
        Block block{7, 7, 7, 0.02, 0.2};
        IncrementalSettings settings = settings_for(block);
        settings.weight_power = power;
        Stages<TypeParam> s(settings, elastic(1e5), make_block<TypeParam>(block));
        s.move([&](const Vec3d& x) { return G * x + Vec3d{0.1, -0.2, 0.3}; });
        // float: displacements of 0.4 m carry the rounding of 0.4 over spacings of 0.02
        EXPECT_LT(worst_F(s, G), tolerance::scale() * (sizeof(TypeParam) == 4 ? 2e-5 : 1e-12));
    }
}

// 20 rigid motions of an unstressed body: F is the product of the rotations, and nothing pulls.
TYPED_TEST(Oracle, RigidMotionsRotateFAndCauseNoForce) {
    Block block{6, 6, 6, 0.02, 0.2};
    Stages<TypeParam> s(settings_for(block), elastic(1e5), make_block<TypeParam>(block));
    Mat3d product = identity3<double>();
    for (std::uint64_t k = 0; k < 20; ++k) {
        const Mat3d R = random_rotation(k);
        s.move([&](const Vec3d& x) { return R * x + Vec3d{0.01, 0.02, -0.01}; });
        product = R * product;
    }
    const bool single = sizeof(TypeParam) == 4;
    EXPECT_LT(worst_F(s, product), tolerance::scale() * (single ? 1e-4 : 1e-12));
    s.find();
    // the unit of force: mu v^(2/3)
    const double unit = 38461.54 * 0.02 * 0.02;
    EXPECT_LT(largest(s.forces()), tolerance::scale() * (single ? 1e-3 : 1e-11) * unit);
}

TYPED_TEST(Oracle, TranslationChangesNothing) {
    Block block{6, 6, 6, 0.02, 0.1};
    Stages<TypeParam> s(settings_for(block), elastic(1e5), make_block<TypeParam>(block));
    s.move([&](const Vec3d& x) { return x + Vec3d{0.5, 0.25, -1}; });
    // displacements round like 1 m, neighbours are 0.02 m away
    EXPECT_LT(worst_F(s, identity3<double>()), tolerance::roundings<TypeParam>(1 / 0.02 * 4));
    EXPECT_LT(largest(s.forces()),
              tolerance::roundings<TypeParam>(1 / 0.02 * 64) * 38461.54 * 0.0004);
}

// New increments multiply on the left. [Gerszewski 2009, Eq. 8]
TYPED_TEST(Oracle, IncrementsComposeInTheOrderOfTime) {
    const Mat3d G1{1.05, 0.1, 0, 0, 1, 0, 0, 0, 1}, G2{1, 0, 0, -0.2, 0.97, 0, 0, 0.05, 1};
    Block block{6, 6, 6, 0.02, 0.1};
    Stages<TypeParam> s(settings_for(block), elastic(1e5), make_block<TypeParam>(block));
    s.move([&](const Vec3d& x) { return G1 * x; });
    s.move([&](const Vec3d& x) { return G2 * x; });
    EXPECT_LT(worst_F(s, G2 * G1), tolerance::scale() * (sizeof(TypeParam) == 4 ? 1e-5 : 1e-12));
    EXPECT_GT(worst_F(s, G1 * G2), 1e-3);
}

// E = 1e5, nu = 0.3: mu = 38461.54, lambda = 57692.31.
TYPED_TEST(Oracle, StressOfKnownStretches) {
    Block block{3, 3, 3, 0.02};
    IncrementalSettings settings = settings_for(block);
    settings.stress = StressForm::plain;
    const auto stress = [&](const Vec3d& sigma, bool squared) {
        settings.squared_stretch = squared;
        Stages<TypeParam> s(settings, elastic(1e5), make_block<TypeParam>(block));
        const Mat3d U = random_rotation(5), V = random_rotation(6);
        s.p().F.set(4, static_cast<Mat3<TypeParam>>(U * diagonal(sigma) * transpose(V)));
        s.forces();
        // the row holds v T F^-1
        const auto& row = s.work.pair_rows[4].elastic.stress;
        const Sym3d vS{double(row.xx), double(row.yy), double(row.zz),
                       double(row.xy), double(row.xz), double(row.yz)};
        const Mat3d F = static_cast<Mat3d>(s.p().F.mat(4));
        return (1 / 8e-6) * (transpose(U) * (static_cast<Mat3d>(vS) * F) * V);
    };
    const double relative = tolerance::scale() * (sizeof(TypeParam) == 4 ? 2e-5 : 1e-6);
    const auto expect = [&](const Mat3d& T, double x, double y) {
        EXPECT_NEAR(T.xx / x, 1, relative);
        EXPECT_NEAR(T.yy / y, 1, relative);
        EXPECT_NEAR(T.zz / y, 1, relative);
        EXPECT_NEAR(T.xy / x, 0, relative);
    };
    expect(stress({1.1, 1, 1}, false), 13461.54, 5769.23);
    expect(stress({1.1, 1.1, 1.1}, false), 25000, 25000);
    expect(stress({1.1, 1, 1}, true), 28269.23, 12115.38);
}

// Random F: forces are equal and opposite, pair by pair.
TYPED_TEST(Oracle, ForcesSumToZero) {
    Block block{8, 8, 8, 0.02, 0.25};
    IncrementalSettings settings = settings_for(block);
    settings.pressure = 5e4;
    settings.viscosity = 20;
    Stages<TypeParam> s(settings, elastic(1e5), make_block<TypeParam>(block));
    for (std::size_t i = 0; i < s.p().size(); ++i) {
        Mat3<TypeParam> F = identity3<TypeParam>();
        for (int k = 0; k < 9; ++k)
            F[k] += static_cast<TypeParam>(
                0.1 * (random_unit(9, i, static_cast<std::uint64_t>(k)) - 0.5));
        s.p().F.set(i, F);
        s.p().v.set(i, Vec3<TypeParam>{F.xy, F.yz, F.zx});
        s.p().rest_density.at(i) = static_cast<TypeParam>(950);
    }
    sum_neighbours(settings, s.phases, s.work);
    const auto f = s.forces();
    EXPECT_GT(sum_of_lengths(f), 100);
    EXPECT_LT(length(sum_of(f)) / sum_of_lengths(f),
              tolerance::scale() * (sizeof(TypeParam) == 4 ? 1e-6 : 1e-12));
}

// The particle in the middle alone is stretched along x: with each neighbour it makes a pair whose
// force has the sign of the stretch along x, and is equal and opposite.
TYPED_TEST(Oracle, StretchedPairsAttractAndCompressedOnesRepel) {
    for (const double stretch : {0.9, 1.1}) {
        const Block block{3, 3, 3, 0.02};
        Stages<TypeParam> s(settings_for(block), elastic(1e5, 0), make_block<TypeParam>(block));
        s.p().F.set(13, diagonal(Vec3<TypeParam>{TypeParam(stretch), 1, 1}));
        const auto f = s.forces();
        EXPECT_LT((stretch - 1) * f[14].x, 0) << stretch;  // at its right
        EXPECT_GT((stretch - 1) * f[12].x, 0) << stretch;
        EXPECT_LT(length(sum_of(f)), tolerance::roundings<TypeParam>(64) * sum_of_lengths(f));
    }
}

// A deformation that neighbours cannot follow any more is not to push: F stays as it was while
// matter turns, and such a push would never end.
TYPED_TEST(Oracle, StressFadesWhereNeighboursCannotTellADeformation) {
    const auto force = [](const Block& block) {
        Stages<TypeParam> s(settings_for({}), elastic(1e5), make_block<TypeParam>(block));
        for (std::size_t i = 0; i < s.p().size(); ++i)
            s.p().F.set(i, diagonal(Vec3<TypeParam>{TypeParam(1.1), 1, 1}));
        return largest(s.forces());
    };
    EXPECT_EQ(force({3, 2, 1, 0.015, 0.3}), 0);  // five neighbours each
    EXPECT_EQ(force({6, 6, 1, 0.02, 0.1}), 0);   // a layer
    EXPECT_GT(force({6, 6, 2, 0.02, 0.1}), 1);
}

// A wide lattice under F = diag(1.01, 1, 1): force through its middle plane, over area and stress.
// What the plane carries is what is lost where halves do not see each other.
TEST(IncrementalForces, CarryTheStressOfTheLaw) {
    const auto carried = [](double support, int neighbours) {
        const int n = 13;
        Block block{n, n, n, 0.02};
        IncrementalSettings settings = settings_for(block);
        settings.support = support;
        settings.neighbours = neighbours;
        settings.stress = StressForm::plain;
        Stages<double> s(settings, elastic(1e5), make_block<double>(block));
        for (std::size_t i = 0; i < s.p().size(); ++i) {
            s.p().F.set(i, diagonal(Vec3d{1.01, 1, 1}));
            s.p().body.at(i) = s.p().x.vec(i).x > 0.005 ? 1 : 0;
            s.p().x.at(i, 0) *= 1.01;
        }
        s.find();
        const auto whole = s.forces();
        s.settings.fuse = false;
        const auto halves = s.forces();
        double force = 0;
        for (std::size_t i = 0; i < whole.size(); ++i) {
            const Vec3d x = s.p().x.vec(i);
            const bool central = std::abs(x.y) < 0.041 && std::abs(x.z) < 0.041;
            if (central && s.p().body.at(i) == 1) force -= whole[i].x - halves[i].x;
        }
        return force / (25 * 0.02 * 0.02) / (0.01 * 134615.38);
    };
    EXPECT_NEAR(carried(2, 30), 0.985, 6e-4);
    EXPECT_NEAR(carried(2.5, 30), 0.605, 6e-4);
    EXPECT_NEAR(carried(2.5, 0), 1.001, 6e-4);
    EXPECT_NEAR(carried(3, 30), 0.348, 6e-4);
}

// Five neighbours, neighbours in a plane, a mirror image: F stays, bit for bit.
TYPED_TEST(Oracle, DegenerateNeighbourhoodsLeaveFAlone) {
    const Mat3<TypeParam> F{TypeParam(1.1),  TypeParam(0.1), 0, 0, 1, 0, 0,
                            TypeParam(-0.2), TypeParam(0.9)};
    const auto unchanged = [&](Stages<TypeParam>& s, const auto& to) {
        for (std::size_t i = 0; i < s.p().size(); ++i) s.p().F.set(i, F);
        s.move(to);
        for (std::size_t i = 0; i < s.p().size(); ++i)
            if (s.p().F.mat(i) != F) return false;
        return true;
    };
    const auto grow = [](const Vec3d& x) { return 1.02 * x; };
    const auto mirror = [](const Vec3d& x) { return Vec3d{-x.x, x.y, x.z}; };

    Stages<TypeParam> five(settings_for({}), elastic(1e5),
                           make_block<TypeParam>({3, 2, 1, 0.015, 0.3}));
    EXPECT_EQ(five.work.lists.own(0), 5);
    EXPECT_TRUE(unchanged(five, grow));
    Stages<TypeParam> plane(settings_for({}), elastic(1e5), make_block<TypeParam>({5, 5, 1, 0.02}));
    EXPECT_TRUE(unchanged(plane, grow));
    Stages<TypeParam> cube(settings_for({}), elastic(1e5), make_block<TypeParam>({5, 5, 5, 0.02}));
    EXPECT_TRUE(unchanged(cube, mirror));
    EXPECT_FALSE(unchanged(cube, grow));  // the probe itself can fail
}

// The fast sum against the plain one of points/density.h.
TEST(IncrementalDensity, IsTheSumOverTheOwnList) {
    Block block{8, 8, 8, 0.02, 0.3};
    IncrementalSettings settings = settings_for(block);
    settings.pressure = 1e4;
    Stages<double> s(settings, elastic(1e5), make_block<double>(block));
    sum_neighbours(settings, s.phases, s.work);
    std::vector<Vec3d> points;
    for (std::size_t i = 0; i < s.p().size(); ++i) points.push_back(s.p().x.vec(i));
    const Neighbours lists = nearest_within(points, 30, {{0.04}});
    const auto rho =
        sph_densities(points, std::vector<double>(points.size(), 1000 * 8e-6), lists, {{0.04}});
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_NEAR(s.work.density[i] / rho[i], 1, tolerance::identity<double>());
        EXPECT_EQ(s.p().rest_density.at(i), s.work.density[i]);
        // no pressure at rest
        EXPECT_EQ(s.work.pair_rows[i].motion.sph_volume, s.work.pair_rows[i].place.volume);
    }
}

// Inside a body nothing pulls; at its faces the pull points inwards; opposite pulls cancel.
TYPED_TEST(Oracle, SurfaceTensionPullsSurfacesInwards) {
    Block block{9, 9, 9, 0.02};
    IncrementalSettings settings = settings_for(block);
    settings.surface_tension = 1;
    Stages<TypeParam> s(settings, elastic(1e5), make_block<TypeParam>(block));
    sum_neighbours(settings, s.phases, s.work);
    s.work.force.assign(4 * s.work.size(), TypeParam(0));
    surface_tension(settings, s.work);
    Vec3d sum{0, 0, 0};
    double lengths = 0;
    for (std::size_t i = 0; i < s.work.size(); ++i) {
        const Vec3d x = s.p().x.vec(i);
        const Vec3d f{double(s.work.force[4 * i]), double(s.work.force[4 * i + 1]),
                      double(s.work.force[4 * i + 2])};
        const double out = std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)});
        if (out < 0.041) {
            EXPECT_EQ(length(f), 0);
        }
        if (out > 0.079) {
            EXPECT_LT(dot(f, x), 0);
        }
        sum += f;
        lengths += length(f);
    }
    EXPECT_GT(lengths, 0);
    EXPECT_LT(length(sum) / lengths, tolerance::identity<TypeParam>());
}

// The force by the fit does just the work that changes the energy of F: for a small step u of every
// particle, sum of f u = -dE. The paper's force misses that by several per cent.
TEST(IncrementalForces, ByTheFitDoTheWorkThatTheEnergyGains) {
    const auto miss = [](double share) {
        const Block block{8, 8, 8, 0.02, 0.1};
        IncrementalSettings settings = settings_for(block);
        settings.neighbours = 0;
        settings.stress = StressForm::plain;
        settings.force_by_fit = share;
        const Material m = elastic(1e5);
        Stages<double> s(settings, m, make_block<double>(block));
        const auto noise = [](std::size_t i, int a) {
            return 2 * random_unit(3, i, static_cast<std::uint64_t>(a)) - 1;
        };
        for (std::size_t i = 0; i < s.p().size(); ++i)
            for (int a = 0; a < 9; ++a) s.p().F.at(i, a) += 0.05 * noise(i, a);
        const std::vector<Vec3d> f = s.forces();
        const IncrementalSolver<double> solver(settings, {m});
        const double before = solver.elastic_energy(s.phases);
        double work = 0, size = 0;
        std::size_t i = 0;  // rows keep their order
        s.move([&](const Vec3d& x) {
            const Vec3d u = 1e-9 * Vec3d{noise(i, 10), noise(i, 11), noise(i, 12)};
            work += dot(f[i], u), size += std::abs(dot(f[i], u));
            ++i;
            return x + u;
        });
        return std::abs(solver.elastic_energy(s.phases) - before + work) / size;
    };
    EXPECT_LT(miss(1), 1e-4);
    EXPECT_GT(miss(0), 5e-3);
}

}  // namespace knead::incremental_test
