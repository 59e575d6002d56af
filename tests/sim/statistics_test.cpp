#include "knead/sim/statistics.h"

#include <gtest/gtest.h>

#include "knead/base/error.h"
#include "knead/parallel/exec.h"
#include "knead/sim/stats_file.h"
#include "sim/toy.h"

namespace knead::test {
namespace {

// Two particles whose sums are whole numbers.
State<float> two_particles() {
    State<float> state;
    state.phases.resize(1);
    auto& p = state.phases[0].particles;
    p.id.create(2);
    p.body.create(2);
    p.x.create(2);
    p.v.create(2);
    p.mass.create(2);
    p.volume.create(2);
    p.x.set(0, {1, 0, 0});
    p.x.set(1, {0, 2, 0});
    p.v.set(0, {0, 3, 0});
    p.v.set(1, {0, 0, -4});
    p.mass.at(0) = 2;
    p.mass.at(1) = 6;
    p.volume.at(0) = 0.5f;
    p.volume.at(1) = 0.25f;
    return state;
}

TEST(Statistics, SumsOfTwoParticlesAreExact) {
    State<float> state = two_particles();
    state.frame = 4;
    state.time = 0.5;
    state.step = 30;
    state.frame_start_step = 18;
    const FrameStatistics s = measure(state, ToySolver<float>());
    EXPECT_EQ(s.frame, 4);
    EXPECT_EQ(s.time, 0.5);
    EXPECT_EQ(s.particles, 2u);
    EXPECT_EQ(s.mass, 8);
    EXPECT_EQ(s.volume, 0.75);
    EXPECT_EQ(s.momentum, (Vec3d{0, 6, -24}));
    // 2 (1,0,0)x(0,3,0) + 6 (0,2,0)x(0,0,-4) = (0,0,6) + (-48,0,0)
    EXPECT_EQ(s.angular_momentum, (Vec3d{-48, 0, 6}));
    EXPECT_EQ(s.kinetic_energy, 0.5 * 2 * 9 + 0.5 * 6 * 16);
    EXPECT_EQ(s.centre_of_mass, (Vec3d{0.25, 1.5, 0}));
    EXPECT_EQ(s.bbox_min, (Vec3d{0, 0, 0}));
    EXPECT_EQ(s.bbox_max, (Vec3d{1, 2, 0}));
    EXPECT_EQ(s.max_speed, 4);
    EXPECT_EQ(s.substeps, 12);
    EXPECT_TRUE(s.finite());
}

// Affine motion adds m D (C_zy - C_yz, C_xz - C_zx, C_yx - C_xy).
TEST(Statistics, AngularMomentumCountsAffineMotion) {
    struct Affine : ToySolver<float> {
        double affine_inertia() const override { return 0.5; }
    };
    State<float> state = two_particles();
    auto& p = state.phases[0].particles;
    p.C.create(2);
    p.C.set(0, {0, -1, 0, 3, 0, 0, 0, 0, 0});  // spin (0, 0, 4)
    p.C.set(1, {0, 0, 0, 0, 0, 5, 0, 7, 0});   // spin (2, 0, 0)
    EXPECT_EQ(measure(state, Affine()).angular_momentum,
              (Vec3d{-48 + 6 * 0.5 * 2, 0, 6 + 2 * 0.5 * 4}));
    EXPECT_EQ(measure(state, ToySolver<float>()).angular_momentum, (Vec3d{-48, 0, 6}));
}

TEST(Statistics, VolumeFollowsTheDeformation) {
    State<float> state = two_particles();
    auto& p = state.phases[0].particles;
    p.F.create(2);
    p.F.set(0, diagonal(Vec3f{2, 1, 1}));
    p.F.set(1, diagonal(Vec3f{1, 0.5f, 1}));
    EXPECT_EQ(measure(state, ToySolver<float>()).volume, 0.5 * 2 + 0.25 * 0.5);
    p.dilation.create(2, 0.5f);
    EXPECT_EQ(measure(state, ToySolver<float>()).volume, 0.75 * 1.5);
}

TEST(Statistics, NothingIsWrongWithNoParticles) {
    const FrameStatistics s = measure(State<float>(), ToySolver<float>());
    EXPECT_EQ(s.particles, 0u);
    EXPECT_TRUE(s.finite());
    EXPECT_EQ(s.bbox_max, (Vec3d{0, 0, 0}));
}

TEST(Statistics, ABrokenParticleIsFoundById) {
    State<float> state = toy_state<float>();
    EXPECT_EQ(first_broken_particle(state), -1);
    state.phases[1].particles.v.at(5, 2) = std::numeric_limits<float>::infinity();
    EXPECT_EQ(first_broken_particle(state), 205);
    EXPECT_FALSE(measure(state, ToySolver<float>()).finite());
}

TEST(Statistics, DoNotDependOnTheThreadCount) {
    State<float> state;
    state.phases.resize(1);
    auto& p = state.phases[0].particles;
    const std::size_t n = 50000;
    p.id.create(n);
    p.x.create(n);
    p.v.create(n);
    p.mass.create(n, 0.1f);
    for (std::size_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k) {
            const auto key = 3 * i + static_cast<std::size_t>(k);
            p.x.at(i, k) = random_unit(3, key);
            p.v.at(i, k) = static_cast<float>(random_unit(4, key) - 0.5);
        }
    const ToySolver<float> solver;
    std::string lines[3];
    for (int threads = 1; threads <= 3; ++threads) {
        set_thread_count(threads);
        lines[threads - 1] = stats_line(measure(state, solver));
    }
    set_thread_count(0);
    EXPECT_EQ(lines[0], lines[1]);
    EXPECT_EQ(lines[0], lines[2]);
}

TEST(StatsFile, NumbersReadBackToTheSameBits) {
    const TemporaryFolder folder;
    FrameStatistics row = measure(toy_state<float>(), ToySolver<float>());
    row.momentum.x = 1.0 / 3;
    row.seconds = 1e-300;
    append_stats(folder / "stats.csv", row);
    row.frame = 1;
    append_stats(folder / "stats.csv", row);
    const StatsTable table = read_stats(folder / "stats.csv");
    ASSERT_EQ(table.rows.size(), 2u);
    const auto value = [&](const std::string& name) {
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            if (table.columns[i] == name) return table.rows[1][i];
        ADD_FAILURE() << "no column " << name;
        return 0.0;
    };
    EXPECT_EQ(value("frame"), 1);
    EXPECT_EQ(value("momentum_x"), 1.0 / 3);
    EXPECT_EQ(value("seconds"), 1e-300);
    EXPECT_EQ(value("angular_momentum_z"), row.angular_momentum.z);
    EXPECT_EQ(value("travelled"), 0);
}

TEST(StatsFile, TruncationDropsLaterFramesAndHalfRows) {
    const TemporaryFolder folder;
    const std::string path = folder / "stats.csv";
    FrameStatistics row = measure(toy_state<float>(), ToySolver<float>());
    std::string up_to_two;
    for (row.frame = 0; row.frame < 5; ++row.frame) {
        append_stats(path, row);
        if (row.frame == 2) up_to_two = bytes_of(path);
    }
    std::ofstream(path, std::ios::app) << "5,0.1";
    EXPECT_EQ(read_stats(path).rows.size(), 5u);
    truncate_stats(path, 2);
    EXPECT_EQ(bytes_of(path), up_to_two);
    truncate_stats(folder / "none.csv", 2);
    EXPECT_FALSE(std::filesystem::exists(folder / "none.csv"));
}

TEST(StatsFile, SaysWhichLineIsWrong) {
    const TemporaryFolder folder;
    std::ofstream(folder / "a.csv") << "frame,time\n0,0\n1,x\n";
    try {
        read_stats(folder / "a.csv");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.mistakes().at(0).place.line, 3);
    }
    std::ofstream(folder / "b.csv") << "frame,time\n0\n";
    EXPECT_THROW(read_stats(folder / "b.csv"), InputError);
    EXPECT_THROW(read_stats(folder / "none.csv"), InputError);
}

}  // namespace
}  // namespace knead::test
