// Streams and sinks among particles that fly freely: what comes, where, and what is counted.
#include "knead/sim/streams.h"

#include <gtest/gtest.h>

#include <set>

#include "knead/geometry/sdf_build.h"
#include "knead/io/frame_reader.h"
#include "knead/sim/stats_file.h"
#include "sim/toy.h"

namespace knead::test {
namespace {

constexpr double h = 0.1, speed = 2, density = 500;

// Four particles a slice, 20 slices a second; far from where the toy's own particles are.
Model stream_model(int frames) {
    Model model = toy_model(frames);
    model.gravity = {0, 0, 0};
    model.materials[1].density = density;
    Stream s;
    s.body = 1, s.material = 1;
    s.points = {{50, 0, 0}, {50 + h, 0, 0}, {50, 0, h}, {50 + h, 0, h}};
    s.direction = {0, -1, 0};
    s.spacing = h, s.speed = speed;
    model.streams = {s};
    return model;
}

struct Weightless : ToySolver<double> {
    Weightless() { gravity = {0, 0, 0}; }
    void hold_belt(std::size_t collider, bool does) override {
        does ? (void)held.insert(collider) : (void)held.erase(collider);
    }
    std::set<std::size_t> held;
};

struct Watcher : RunObserver {
    std::vector<FrameStatistics> frames;
    std::vector<std::string> troubles;
    void frame(const FrameStatistics& s, const Progress&) override { frames.push_back(s); }
    void trouble(const std::string& text) override { troubles.push_back(text); }
    double last(const std::string& name) const {
        for (const auto& [key, value] : frames.back().extra)
            if (key == name) return value;
        ADD_FAILURE() << "no " << name;
        return 0;
    }
};

// Of the particles that entered.
std::vector<Vec3d> strand_of(const RunFolder& folder, int frame) {
    const Frame f = read_frame(folder.frame(frame));
    const auto x = f.floats("x"), y = f.floats("y"), z = f.floats("z");
    std::vector<Vec3d> points;
    for (std::size_t i = 300; i < f.count; ++i) points.push_back({x[i], y[i], z[i]});
    return points;
}

}  // namespace

// Within the jitter around its row, and not in it.
TEST(Streams, JitterBreaksTheRows) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run");
    Model model = stream_model(12);
    model.streams[0].jitter = 0.25;
    Weightless solver;
    Watcher seen;
    run(model, toy_state<double>(), solver, folder, {12}, seen);
    double least = 1, most = -1;
    for (const Vec3d& x : strand_of(folder, 12)) {
        const double off = (x.x - 50 > 0.5 * h ? x.x - 50 - h : x.x - 50) / h;
        least = std::min(least, off), most = std::max(most, off);
    }
    EXPECT_GT(most, 0.15);
    EXPECT_LT(most, 0.2501);
    EXPECT_LT(least, -0.15);
    EXPECT_GT(least, -0.2501);
}

// Slices come every h / speed = 0.05 s, whatever the steps are, so half a second lets in ten; the
// one at 0.5 s belongs to the next frame. The k-th has gone k h less than the first, to rounding of
// a frame's floats.
TEST(Streams, AStrandIsEven) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run");
    Model model = stream_model(12);
    model.streams[0].stop = 0.52;
    Weightless solver;
    Watcher seen;
    run(model, toy_state<double>(), solver, folder, {12}, seen);
    const std::vector<Vec3d> strand = strand_of(folder, 12);
    ASSERT_EQ(strand.size(), 4u * 10);
    for (std::size_t i = 0; i < strand.size(); ++i) {
        const auto slice = static_cast<double>(i / 4);
        EXPECT_NEAR(strand[i].y, -(speed * 0.5 - slice * h), 1e-6);
        EXPECT_NEAR(strand[i].x, model.streams[0].points[i % 4].x, 1e-5);
    }
    EXPECT_NEAR(seen.last("mass_in"), 40 * density * h * h * h, 1e-9);
    EXPECT_NEAR(seen.frames.back().mass - seen.frames.front().mass, seen.last("mass_in"), 1e-9);
    EXPECT_EQ(seen.last("blocked_time"), 0);
    EXPECT_TRUE(seen.troubles.empty());
}

// An opening that moves at u lets matter go with u besides: in still air the strand stays in line
// with it. One that turns by a quarter ends up letting it out sideways.
TEST(Streams, AnOpeningIsCarried) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run"), turned(place / "turned");
    Model model = stream_model(12);
    model.streams[0].carrier.velocity = {1, 0, 0};
    Weightless solver;
    Watcher seen;
    run(model, toy_state<double>(), solver, folder, {12}, seen);
    for (const Vec3d& x : strand_of(folder, 12))
        EXPECT_NEAR(x.x, 50.5 + (x.x > 50.55 ? h : 0), 1e-5);

    model.streams[0].carrier = {};
    model.streams[0].carrier.pivot = {50, 0, 0};
    model.streams[0].carrier.keys = {{0, {0, 0, 0}, {0, 0, std::acos(0.0)}}};
    run(model, toy_state<double>(), solver, turned, {12}, seen);
    for (const Vec3d& x : strand_of(turned, 12)) EXPECT_GE(x.x, 50 - 1e-5);
}

// Matter that never leaves: the second slice waits for ever, and the run says so once.
TEST(Streams, ABlockedOpeningIsReported) {
    const TemporaryFolder place;
    Model model = stream_model(24);
    State<double> state = toy_state<double>();
    auto& p = state.phases[0].particles;
    p.x.set(0, {50, 0, 0});
    p.v.set(0, {0, 0, 0});
    Weightless solver;
    Watcher seen;
    run(model, std::move(state), solver, RunFolder(place / "run"), {24}, seen);
    ASSERT_EQ(seen.troubles.size(), 1u);
    EXPECT_NE(seen.troubles[0].find("body b: its opening is blocked"), std::string::npos);
    EXPECT_EQ(seen.last("mass_in"), 0);
    EXPECT_NEAR(seen.last("blocked_time"), 1, 0.02);  // all of the second, though it still waits
}

// The place itself is free, but the four slices in front of it hold 200 particles, not 16.
TEST(Streams, MatterPressedTogetherBlocksAnOpening) {
    for (const int crowd : {10, 200}) {
        const TemporaryFolder place;
        Model model = stream_model(24);
        State<double> state = toy_state<double>();
        auto& p = state.phases[0].particles;
        for (int i = 0; i < crowd; ++i) {
            const auto k = static_cast<std::size_t>(i);
            p.x.set(k, {50 + h * (i % 2), -h * (1.2 + 2.5 * i / crowd), h * (i / 2 % 2)});
            p.v.set(k, {0, 0, 0});
        }
        Weightless solver;
        Watcher seen;
        run(model, std::move(state), solver, RunFolder(place / "run"), {4}, seen);
        EXPECT_EQ(seen.last("mass_in") > 0, crowd == 10);
    }
}

// The place is free and nothing is crowded, but what is ahead has lost a tenth of its volume: the
// drive stands still, and says so with the place. Below the pressure it may push on.
TEST(Streams, MatterThatPressesBackHoldsTheDrive) {
    for (const double squeeze : {0.02, 0.1}) {
        const TemporaryFolder place;
        Model model = stream_model(24);
        Stream& s = model.streams[0];
        s.wall = 0;
        model.materials[1].elastic.bulk_modulus = 1e5;
        s.pressure = 5e3;
        State<double> state = toy_state<double>();
        auto& p = state.phases[0].particles;
        p.dilation.create(p.size());
        for (std::size_t k = 0; k < 8; ++k) {
            const double low = 1.5 + 0.2 * static_cast<double>(k);
            p.x.set(k, {k % 2 == 0 ? 50 : 50 + h, -h * low, k / 2 % 2 == 0 ? 0 : h});
            p.v.set(k, {0, 0, 0});
            p.dilation.at(k) = -squeeze;
        }
        Weightless solver;
        Watcher seen;
        run(model, std::move(state), solver, RunFolder(place / "run"), {12}, seen);
        const bool full = squeeze > 0.05;
        EXPECT_EQ(solver.held.contains(0), full);
        EXPECT_EQ(seen.last("mass_in") == 0, full);
        EXPECT_NEAR(seen.last("blocked_time"), full ? 0.5 : 0, 0.1);  // up to the last try
        ASSERT_EQ(seen.troubles.size(), full ? 1u : 0u);
        if (!full) continue;
        EXPECT_NE(seen.troubles[0].find("blocked by the pressure in front of it (stream.pressure)"),
                  std::string::npos);
        EXPECT_NE(seen.troubles[0].find("stands at (50.05, 0, 0.05) m"), std::string::npos);
    }
}

// It goes on where the place becomes free, at its own pace, and counts what was lost.
TEST(Streams, ABlockedOpeningGoesOnWhenItIsFree) {
    const TemporaryFolder place;
    Model model = stream_model(24);
    State<double> state = toy_state<double>();
    auto& p = state.phases[0].particles;
    p.x.set(0, {50, 0, 0});
    p.v.set(0, {0.9 * h / 0.4, 0, -10});  // gone in about 0.01 s
    Weightless solver;
    Watcher seen;
    run(model, std::move(state), solver, RunFolder(place / "run"), {24}, seen);
    EXPECT_TRUE(seen.troubles.empty());
    EXPECT_GT(seen.last("blocked_time"), 0.005);
    EXPECT_LT(seen.last("blocked_time"), 0.03);
    // One second of slices, and the first that is late.
    EXPECT_NEAR(seen.last("mass_in"), 80 * density * h * h * h, 4.01 * density * h * h * h);
}

// All that flies into a sink is taken out, and the books balance.
TEST(Streams, SinksTakeMatterOut) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run");
    Model model = stream_model(24);
    Sink sink;
    sink.name = "drain";
    sink.shape = sdf::box({50, -1, 0}, {1, 0.3, 1});
    model.sinks = {sink};
    Weightless solver;
    Watcher seen;
    run(model, toy_state<double>(), solver, folder, {24}, seen);
    for (const Vec3d& x : strand_of(folder, 24)) EXPECT_GE(x.y, -0.75);
    EXPECT_GT(seen.last("mass_out"), 20 * density * h * h * h);
    const FrameStatistics &first = seen.frames.front(), &last = seen.frames.back();
    EXPECT_NEAR(last.mass, first.mass + seen.last("mass_in") - seen.last("mass_out"), 1e-9);
}

// A run that was stopped within a frame, with its opening blocked, goes on to the same bytes.
TEST(Streams, ResumeEqualsUnbroken) {
    const TemporaryFolder place;
    Model model = stream_model(24);
    model.output.checkpoint_seconds = 0;
    Sink sink;
    sink.shape = sdf::box({50, -1, 0}, {1, 0.3, 1});
    model.sinks = {sink};
    const auto start = [] {
        State<double> state = toy_state<double>();
        state.phases[0].particles.x.set(0, {50, 0, 0});
        state.phases[0].particles.v.set(0, {0.1, 0, 0});
        return state;
    };
    const RunFolder whole(place / "whole"), broken(place / "broken");
    Weightless solver;
    Watcher seen;
    run(model, start(), solver, whole, {24}, seen);
    std::atomic<bool> stop = false;
    Weightless stopped;
    std::int64_t steps = 0;
    stopped.after_step = [&] { stop = ++steps == 77; };
    RunOptions options{24, 0, "cpu", &stop};
    EXPECT_FALSE(run(model, start(), stopped, broken, options, seen).finished);
    stop = false;
    Weightless next;
    auto checkpoint = broken.load<double>(0, [](const std::string&) {});
    ASSERT_TRUE(checkpoint.has_value());
    resume(model, std::move(*checkpoint), next, broken, {24}, seen);
    for (int k = 0; k <= 24; ++k)
        EXPECT_TRUE(bytes_of(whole.frame(k)) == bytes_of(broken.frame(k))) << k;
}

}  // namespace knead::test
