// What figures 3, 4 and 6 of Gerszewski 2009 show, as one number each.
#include <gtest/gtest.h>

#include "points/incremental/bodies.h"

namespace knead::incremental_test {

namespace {

Material clay() { return creeping(1e5, 1500, 0.05); }

IncrementalSettings damped(double viscosity = 10) {
    IncrementalSettings s = plain_settings();
    s.spacing = 0.02;
    s.pressure = 5e4;
    s.viscosity = viscosity;
    return s;
}

}  // namespace

// Fig. 3: bodies of a pile press on each other and stay two. One block is pushed into another for
// 0.1 s and drawn back: what it takes along of the other is nothing, unless they may fuse.
TEST(IncrementalFigures, BodiesOfAPileStayApart) {
    const auto taken_along = [](bool fuse) {
        Phase<double> two = make_block<double>({6, 12, 6, 0.02});
        for (std::size_t i = 0; i < two.particles.size(); ++i) {
            const bool upper = two.particles.x.vec(i).y > 0;
            two.particles.body.at(i) = upper ? 1 : 0;
            two.particles.v.set(i, {0, upper ? -0.3 : 0.3, 0});
        }
        IncrementalSettings s = damped();
        s.fuse = fuse;
        Trial<double> run(s, clay(), std::move(two));
        EXPECT_TRUE(run.run_until(0.1, 5e-4));
        double before = 0, after = 0;
        const auto mean_speed = [&](int body) {
            double sum = 0;
            for (std::size_t i = 0; i < run.p().size(); ++i)
                if (run.p().body.at(i) == body) sum += run.p().v.at(i, 1) / 216;
            return sum;
        };
        for (std::size_t i = 0; i < run.p().size(); ++i)
            run.p().v.at(i, 1) = run.p().body.at(i) == 1 ? 0.5 : 0;
        before = mean_speed(0);
        EXPECT_TRUE(run.run_until(0.2, 5e-4));
        after = mean_speed(0);
        return (after - before) / 0.5;
    };
    EXPECT_LT(std::abs(taken_along(false)), 0.05);
    EXPECT_GT(taken_along(true), 0.2);  // 0.33
}

// Fig. 4: a body of clay that falls on a sphere folds over it and stays folded; an elastic one
// springs back. None of it enters the sphere.
TEST(IncrementalFigures, ClayFoldsOverASphere) {
    const auto overhang = [](const Material& material) {
        const Block slab{16, 3, 6, 0.02, 0.03, {0, 0.16, 0}};
        Scenery scenery;
        Collider ball;
        ball.name = "ball";
        ball.shape = sdf::sphere({0, 0, 0}, 0.1);
        ball.friction = 0.5;
        scenery.colliders.push_back(ball);
        Trial<double> run(damped(20), material, make_block<double>(slab), scenery);
        EXPECT_TRUE(run.run_until(0.35, 5e-4));
        double ends = 0, middle = 0, nearest = 1, n_ends = 0, n_middle = 0;
        for (std::size_t i = 0; i < run.p().size(); ++i) {
            const auto column = run.p().id.at(i) % 16;
            const double y = run.p().x.vec(i).y;
            if (column == 0 || column == 15) ends += y, n_ends += 1;
            if (column == 7 || column == 8) middle += y, n_middle += 1;
            nearest = std::min(nearest, length(run.p().x.vec(i)));
        }
        EXPECT_GT(nearest, 0.1 - 1e-6);
        return middle / n_middle - ends / n_ends;
    };
    const double clay_hangs = overhang(clay()), elastic_hangs = overhang(elastic(1e5));
    EXPECT_NEAR(clay_hangs, 0.211, 0.01);  // twice the radius: it reaches around
    EXPECT_LT(elastic_hangs, 0.6 * clay_hangs);
}

// Fig. 6: dough laid on a table sags at once and goes on slowly; it neither holds like clay nor
// runs like a fluid.
TEST(IncrementalFigures, DoughSagsAndCreepsOn) {
    const Block slab{10, 4, 10, 0.02, 0.03, {0, 0.041, 0}};
    Material dough = creeping(4e4, 60, 0.02);
    dough.flow.creep_interval = 5e-4;
    IncrementalSettings s = damped(20);
    s.pressure = 2e4;
    Trial<double> run(s, dough, make_block<double>(slab), ground(0.8));
    const auto mean_height = [&] {
        double sum = 0;
        for (std::size_t i = 0; i < run.p().size(); ++i) sum += run.p().x.vec(i).y / 400;
        return sum;
    };
    const double start = mean_height();
    ASSERT_TRUE(run.run_until(0.25, 5e-4));
    const double soon = mean_height() / start;
    ASSERT_TRUE(run.run_until(1, 5e-4));
    const double later = mean_height() / start;
    EXPECT_NEAR(soon, 0.681, 0.01);
    EXPECT_NEAR(later, 0.629, 0.015);
}

}  // namespace knead::incremental_test
