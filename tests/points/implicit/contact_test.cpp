// Contact inside the solve: friction, obstacles that move or are pushed, grips, and bodies against
// each other and themselves.
#include <gtest/gtest.h>

#include <numbers>

#include "knead/materials/presets.h"
#include "points/implicit/bodies.h"

namespace knead::implicit_test {

namespace {

constexpr double dt = 0.002, g = 9.81;

// A block that lies on the floor; 0.1 m high.
Block lying(double height = 0) { return {6, 6, 6, 0.02, 0, {0, 0.05 + height, 0}}; }

// The floor is tilted by tan(angle) = slope, seen from the block.
Scenery tilted(double slope, double friction) {
    Scenery scenery = ground(friction);
    const double c = 1 / std::sqrt(1 + slope * slope);
    scenery.gravity = {g * slope * c, -g * c, 0};
    return scenery;
}
template <class Real>
Vec3d centre(const Phase<Real>& phase) {
    Vec3d sum{0, 0, 0};
    double mass = 0;
    for (std::size_t i = 0; i < phase.particles.size(); ++i) {
        const auto m = static_cast<double>(phase.particles.mass.at(i));
        sum += m * phase.particles.x.vec(i), mass += m;
    }
    return sum / mass;
}
template <class Real>
Vec3d momentum(const Phase<Real>& phase) {
    Vec3d sum{0, 0, 0};
    for (std::size_t i = 0; i < phase.particles.size(); ++i)
        sum += static_cast<double>(phase.particles.mass.at(i)) *
               static_cast<Vec3d>(phase.particles.v.vec(i));
    return sum;
}

// A box in free space that can be pushed, 0.2 m wide, its top at y = 0.
Scenery floating_box(double mass) {
    Scenery scenery = empty_space();
    Collider box;
    box.name = "box";
    box.shape = sdf::box({0, -0.1, 0}, {0.1, 0.1, 0.1});
    box.motion.pivot = {0, -0.1, 0};
    box.friction = 0.5;
    box.rigid.mass = mass;
    box.rigid.inertia = (mass * 0.04 / 6) * identity3<double>();
    scenery.colliders.push_back(box);
    return scenery;
}
// About x, of the particles with x beyond +- 0.05 from the bar's middle [rad].
double twist_of(Trial<double>& run) {
    double turn[2] = {0, 0};
    for (int side = 0; side < 2; ++side) {
        double sine = 0, cosine = 0;
        for (std::size_t i = 0; i < run.p().size(); ++i) {
            const auto id = static_cast<int>(run.p().id.at(i));
            const int ix = id % 15, iy = id / 15 % 5, iz = id / 75;
            if (ix != (side == 0 ? 1 : 13)) continue;
            const Vec3d x = run.p().x.vec(i);
            const double ry = iy - 2.0, rz = iz - 2.0;
            sine += ry * x.z - rz * x.y, cosine += ry * x.y + rz * x.z;
        }
        turn[side] = std::atan2(sine, cosine);
    }
    return turn[1] - turn[0];
}

}  // namespace

// Below tan(angle) = friction nothing moves: no creep at all once the block has settled.
TEST(ImplicitContact, ABlockStaysOnASlopeThatFrictionHolds) {
    for (const double young : {1e5, 1e7}) {
        Trial<double> run(settings_for(lying()), elastic(young), make_block<double>(lying()),
                          tilted(0.4, 0.5));
        ASSERT_TRUE(run.run_until(0.6, dt));
        const Vec3d before = centre(run.phases[0]);
        ASSERT_TRUE(run.run_until(1.2, dt));
        EXPECT_LT(length(centre(run.phases[0]) - before), 2e-5) << young;
        EXPECT_LT(std::fabs(before.x), 5e-3) << young;
    }
}

// a = g (sin - mu cos)
TEST(ImplicitContact, ABlockSlidesDownASteepSlopeAsCoulombSays) {
    const double slope = 0.8, mu = 0.5, c = 1 / std::sqrt(1 + slope * slope);
    Trial<double> run(settings_for(lying()), elastic(1e6), make_block<double>(lying()),
                      tilted(slope, mu));
    ASSERT_TRUE(run.run_until(0.2, dt));
    const double before = momentum(run.phases[0]).x;
    ASSERT_TRUE(run.run_until(0.6, dt));
    const double mass = 216 * 0.008;
    EXPECT_NEAR((momentum(run.phases[0]).x - before) / mass / 0.4, g * c * (slope - mu),
                0.02 * g * c * (slope - mu));
}

// v^2 / (2 mu g)
TEST(ImplicitContact, ABlockOnTheFlatStopsAfterItsBrakingDistance) {
    Trial<double> run(settings_for(lying()), elastic(1e6), make_block<double>(lying()),
                      ground(0.3));
    run.set_velocity([](const Vec3d&) { return Vec3d{1, 0, 0}; });
    ASSERT_TRUE(run.run_until(0.6, dt));
    EXPECT_NEAR(centre(run.phases[0]).x, 1 / (2 * 0.3 * g), 0.01);
    EXPECT_LT(run.kinetic_energy(), 1e-8);
}

// A belt takes the block along, and a lift carries it up.
TEST(ImplicitContact, MovingObstaclesTakeMatterAlong) {
    Scenery scenery = ground(0.5);
    scenery.colliders[0].motion.velocity = {0.5, 0.3, 0};
    Trial<double> run(settings_for(lying()), elastic(1e6), make_block<double>(lying()), scenery);
    ASSERT_TRUE(run.run_until(0.6, dt));
    const double mass = 216 * 0.008;
    EXPECT_LT(length(momentum(run.phases[0]) / mass - Vec3d{0.5, 0.3, 0}), 2e-3);
    double low = 1;
    for (std::size_t i = 0; i < run.p().size(); ++i) low = std::min(low, run.p().x.vec(i).y);
    EXPECT_NEAR(low, 0.3 * 0.6, 1e-4);
}

// In free space a block hits a box off its centre and askew: the two keep their momentum and their
// spin, friction and all.
TEST(ImplicitContact, PushedBodiesTakeWhatMatterLoses) {
    const Block block{5, 5, 5, 0.02, 0.1, {0.03, 0.06, 0}};
    ImplicitSettings s = settings_for(block);
    s.tolerance = 1e-10;
    Trial<double> run(s, elastic(1e6), make_block<double>(block), floating_box(4));
    run.set_velocity([](const Vec3d&) { return Vec3d{0.6, -1, 0.2}; });
    const Vec3d before = momentum(run.phases[0]), spin = run.angular_momentum();
    ASSERT_TRUE(run.run_until(0.1, dt));
    ASSERT_EQ(run.rigid.size(), 1u);
    const RigidState& box = run.rigid[0];
    const Vec3d p = 4 * box.twist.linear;
    EXPECT_LT(p.y, -0.2);
    EXPECT_GT(p.x, 0.05);
    EXPECT_LT(length(momentum(run.phases[0]) + p - before), 1e-6 * length(before));
    const Vec3d turned =
        run.angular_momentum() + cross(box.pose.position, p) + (4 * 0.04 / 6) * box.twist.angular;
    EXPECT_LT(length(turned - spin), 0.02 * length(spin));
}

// Preconditioners change how a solve goes, not where: uneven masses hit a box that can be pushed.
TEST(ImplicitContact, PreconditionersComeToTheSameMotion) {
    const Block block{8, 8, 8, 0.02, 0.1, {0.03, 0.09, 0}};
    std::vector<std::vector<Vec3d>> ends;
    for (const Preconditioner p :
         {Preconditioner::mass, Preconditioner::block_jacobi, Preconditioner::two_level}) {
        ImplicitSettings s = settings_for(block);
        s.tolerance = 1e-10;
        s.preconditioner = p;
        Phase<double> uneven = make_block<double>(block);
        for (std::size_t i = 0; i < uneven.particles.size(); ++i)
            uneven.particles.mass.at(i) *= 1 + static_cast<double>(i % 3);
        Trial<double> run(s, elastic(1e7), std::move(uneven), floating_box(4));
        run.set_velocity([](const Vec3d&) { return Vec3d{0.6, -1, 0.2}; });
        ASSERT_TRUE(run.run_until(0.05, dt));
        EXPECT_EQ(run.totals["cg_limit"] + run.totals["cg_breakdown"], 0);
        auto& x = ends.emplace_back(run.p().size() + 1);
        for (std::size_t i = 0; i < run.p().size(); ++i)
            x[static_cast<std::size_t>(run.p().id.at(i))] = run.p().x.vec(i);
        x.back() = run.rigid[0].pose.position;
    }
    for (std::size_t i = 0; i < ends[0].size(); ++i)
        for (int k : {1, 2})
            EXPECT_LT(length(ends[static_cast<std::size_t>(k)][i] - ends[0][i]), 1e-6);
}

// A block on a box on a spring of nothing: both fall alike, and the block does not feel it.
TEST(ImplicitContact, AHeavyBlockPushesALightBoxAlong) {
    Scenery scenery = floating_box(0.5);
    scenery.gravity = {0, -g, 0};
    Trial<double> run(settings_for(lying()), elastic(1e6), make_block<double>(lying()), scenery);
    ASSERT_TRUE(run.run_until(0.3, dt));
    EXPECT_NEAR(run.rigid[0].twist.linear.y, -g * 0.3, 0.02);
    EXPECT_NEAR(momentum(run.phases[0]).y / (216 * 0.008), -g * 0.3, 0.02);
}

// Trap 11: a bar between two grips, one of which turns by 90 degrees and then lets go: it stores
// elastic energy, follows the grip, and untwists.
TEST(ImplicitContact, GripsTwistABarAndLetItGo) {
    const Block bar{15, 5, 5, 0.02};
    Scenery scenery = empty_space();
    for (const double side : {-1.0, 1.0}) {
        Grip grip;
        grip.name = "end";
        grip.region = sdf::box({side * 0.13, 0, 0}, {0.025, 0.2, 0.2});
        grip.release = side > 0 ? 0.3 : 9;
        if (side > 0) grip.motion.angular_velocity = {0.5 * std::numbers::pi / 0.2, 0, 0};
        grip.motion.stop = side > 0 ? 0.2 : 0;
        scenery.grips.push_back(grip);
    }
    for (const RestUpdate rest : {RestUpdate::always, RestUpdate::lazy}) {
        ImplicitSettings s = settings_for(bar);
        s.rest_update = rest;
        Trial<double> run(s, elastic(1e5), make_block<double>(bar), scenery);
        ASSERT_TRUE(run.run_until(0.28, dt));
        EXPECT_NEAR(twist_of(run), 0.5 * std::numbers::pi, 0.02);
        const double stored = run.solver.elastic_energy(run.phases);
        EXPECT_GT(stored, 1e-2);
        ASSERT_TRUE(run.run_until(1.2, dt));
        // it swings about its first shape
        EXPECT_LT(run.energy(), 0.25 * stored);
        EXPECT_LT(std::fabs(twist_of(run)), 0.25 * 0.5 * std::numbers::pi);
    }
}

// Two blocks that meet in free space keep their momentum, and do not enter each other.
TEST(ImplicitContact, BodiesThatMeetKeepTheirMomentum) {
    std::vector<Phase<double>> bodies;
    const Block left{5, 5, 5, 0.02, 0, {-0.06, 0, 0}}, right{5, 5, 5, 0.02, 0, {0.06, 0.01, 0}};
    bodies.push_back(make_block<double>(left));
    bodies.push_back(make_block<double>(right));
    for (std::size_t i = 0; i < bodies[1].particles.size(); ++i) bodies[1].particles.body.at(i) = 1;
    Trial<double> run(settings_for(left), {elastic(1e6), elastic(1e6)}, std::move(bodies));
    for (std::size_t i = 0; i < run.p().size(); ++i)
        run.phases[0].particles.v.set(i, {1, 0, 0}), run.phases[1].particles.v.set(i, {-1, 0.2, 0});
    const Vec3d before = momentum(run.phases[0]) + momentum(run.phases[1]);
    double least = 1;
    while (run.time < 0.15) {
        ASSERT_TRUE(run.step(dt).ok);
        for (std::size_t i = 0; i < run.p().size(); ++i)
            for (std::size_t j = 0; j < run.p().size(); ++j)
                least = std::min(least, length(run.phases[0].particles.x.vec(i) -
                                               run.phases[1].particles.x.vec(j)));
    }
    EXPECT_LT(momentum(run.phases[0]).x, 0);
    EXPECT_GT(least, 0.5 * 0.02);
    const Vec3d after = momentum(run.phases[0]) + momentum(run.phases[1]);
    EXPECT_LT(length(after - before), 1e-4 * 1);
}

// A stack of three stands.
TEST(ImplicitContact, AStackOfBlocksStands) {
    std::vector<Phase<double>> bodies;
    for (int k = 0; k < 3; ++k) {
        const Block block{5, 5, 5, 0.02, 0, {0.01 * (k % 2), 0.04 + 0.1 * k, 0}};
        bodies.push_back(make_block<double>(block));
        for (std::size_t i = 0; i < bodies.back().particles.size(); ++i)
            bodies.back().particles.body.at(i) = k;
    }
    Trial<double> run(settings_for(Block{}), {elastic(1e6), elastic(1e6), elastic(1e6)},
                      std::move(bodies), ground());
    ASSERT_TRUE(run.run_until(1, dt));
    for (int k = 0; k < 3; ++k) {
        const Vec3d c = centre(run.phases[static_cast<std::size_t>(k)]);
        // layers of two bodies stand in each other's gaps: sqrt(1 - 1/4) spacings apart
        EXPECT_NEAR(c.y, 0.04 + (0.1 - 0.02 * (1 - std::sqrt(0.75))) * k, 0.001);
        EXPECT_NEAR(c.x, 0.01 * (k % 2), 0.002);
    }
}

// Two arms of one body are thrown at each other: with lazy rest shapes they bounce off and part as
// far as they were.
TEST(ImplicitContact, PartsOfALazyBodyPushEachOther) {
    const Block slab{12, 12, 4, 0.02};
    Phase<double> all = make_block<double>(slab), horseshoe;
    std::vector<std::size_t> keep;
    for (std::size_t i = 0; i < all.particles.size(); ++i) {
        const int ix = static_cast<int>(i) % 12, iy = static_cast<int>(i) / 12 % 12;
        if (iy < 4 || ix < 4 || ix > 7) keep.push_back(i);
    }
    Particles<double>& p = horseshoe.particles;
    const std::size_t n = keep.size();
    p.id.create(n), p.parent.create(n, -1), p.body.create(n), p.x.create(n), p.v.create(n);
    p.volume.create(n, 8e-6), p.mass.create(n, 8e-3);
    for (std::size_t i = 0; i < n; ++i) {
        p.id.at(i) = static_cast<std::int64_t>(i);
        p.x.set(i, all.particles.x.vec(keep[i]));
    }
    ImplicitSettings s = settings_for(slab);
    s.rest_update = RestUpdate::lazy;
    Trial<double> run(s, elastic(1e5), std::move(horseshoe));
    run.set_velocity([](const Vec3d& x) {
        return x.y > -0.03 ? Vec3d{x.x > 0 ? -2.5 : 2.5, 0, 0} : Vec3d{0, 0, 0};
    });
    double most = 0, gap = 1, parted = 0;
    while (run.time < 0.4) {
        ASSERT_TRUE(run.step(dt).ok);
        most = std::max(most, run.totals["body_contacts"]);
        double left = -1, right = 1;
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3d x0 = all.particles.x.vec(keep[static_cast<std::size_t>(run.p().id.at(i))]);
            if (x0.y < 0.08) continue;
            double& side = x0.x > 0 ? right : left;
            side =
                x0.x > 0 ? std::min(side, run.p().x.vec(i).x) : std::max(side, run.p().x.vec(i).x);
        }
        gap = std::min(gap, right - left);
        if (most > 0) parted = std::max(parted, right - left);
    }
    EXPECT_GT(most, 0);
    EXPECT_GT(gap, 0.3 * 0.02);
    EXPECT_GT(parted, 0.08);
}

// Flush under a sticky ceiling clay hangs, and its uppermost layer does not move at all: pulled, it
// goes with the ceiling, too. What starts in a sticky floor stays in it.
TEST(ImplicitContact, StickyObstaclesHold) {
    const Block block{5, 5, 5, 0.02, 0, {0, 0, 0}};  // its middles from y = -0.04 to 0.04
    for (const double lift : {0.0, 0.05}) {
        Scenery scenery = empty_space();
        scenery.gravity = {0, -g, 0};
        Collider ceiling;
        ceiling.name = "ceiling";
        ceiling.shape = sdf::plane({0, 0.05, 0}, {0, -1, 0});
        ceiling.contact = Contact::sticky;
        ceiling.motion.velocity = {0, lift, 0};
        scenery.colliders.push_back(ceiling);
        Trial<double> run(settings_for(block), *find_preset("clay"), make_block<double>(block),
                          scenery);
        ASSERT_TRUE(run.run_until(0.4, dt));
        EXPECT_NEAR(centre(run.phases[0]).y, 0.4 * lift, 2e-3);
        double highest = -1;
        for (std::size_t i = 0; i < run.p().size(); ++i)
            highest = std::max(highest, run.p().x.at(i, 1));
        EXPECT_NEAR(highest, 0.04 + 0.4 * lift, 1e-9);
    }
    Scenery scenery = ground(0.0);
    scenery.colliders[0].contact = Contact::sticky;
    scenery.colliders[0].shape = sdf::plane({0, -0.01, 0}, {0, 1, 0});
    Trial<double> run(settings_for(block), *find_preset("clay"), make_block<double>(block),
                      scenery);
    const Vec3d before = centre(run.phases[0]);
    ASSERT_TRUE(run.run_until(0.2, dt));
    EXPECT_LT(length(centre(run.phases[0]) - before), 1e-3);
}

}  // namespace knead::implicit_test
