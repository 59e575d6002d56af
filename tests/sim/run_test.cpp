#include "knead/sim/run.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "knead/base/error.h"
#include "knead/io/frame_reader.h"
#include "knead/sim/stats_file.h"
#include "sim/toy.h"

namespace knead::test {
namespace {

namespace fs = std::filesystem;

struct Recorder : RunObserver {
    Preflight cost;
    std::vector<double> times;  // after each substep
    std::vector<double> dts;
    std::vector<FrameStatistics> frames;
    std::vector<std::string> troubles;
    double last_estimate = -1;

    void started(const Preflight& p) override { cost = p; }
    void substep(const Progress& p) override {
        times.push_back(p.time);
        dts.push_back(p.dt);
        last_estimate = p.seconds_left;
    }
    void frame(const FrameStatistics& s, const Progress&) override { frames.push_back(s); }
    void trouble(const std::string& text) override { troubles.push_back(text); }
};

// stats.csv without its wall times.
std::string timeless(const std::string& path) {
    const StatsTable table = read_stats(path);
    std::ostringstream text;
    text.precision(17);
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            if (table.columns[i] != "seconds") text << table.columns[i] << '=' << row[i] << ' ';
        text << '\n';
    }
    return text.str();
}

void expect_same_run(const RunFolder& a, const RunFolder& b, int frames) {
    for (int k = 0; k <= frames; ++k) {
        const std::string bytes = bytes_of(a.frame(k));
        EXPECT_FALSE(bytes.empty()) << k;
        EXPECT_TRUE(bytes == bytes_of(b.frame(k))) << "frame " << k;
    }
    EXPECT_EQ(timeless(a.stats()), timeless(b.stats()));
}

TEST(Run, FramesEndExactlyWhereTheyShould) {
    const TemporaryFolder place;
    const Model model = toy_model(10);
    ToySolver<double> solver;
    Recorder seen;
    const RunOutcome outcome =
        run(model, toy_state<double>(), solver, RunFolder(place / "run"), {10}, seen);
    EXPECT_TRUE(outcome.finished);
    EXPECT_EQ(outcome.frame, 10);
    ASSERT_EQ(seen.frames.size(), 11u);
    for (int k = 0; k <= 10; ++k)
        EXPECT_EQ(seen.frames[static_cast<std::size_t>(k)].time, k / 24.0);
    EXPECT_EQ(outcome.time, 10 / 24.0);
    EXPECT_EQ(outcome.steps, static_cast<std::int64_t>(seen.times.size()));
}

// A still collider needs none; a scripted one is where its motion says, a pushed one where the
// method has it.
TEST(Run, FramesHoldThePosesOfCollidersThatMove) {
    const TemporaryFolder place;
    Model model = toy_model(2);
    model.colliders.resize(3);
    model.colliders[0].name = "floor";
    model.colliders[1].name = "paddle";
    model.colliders[1].motion.velocity = {2, 0, 0};
    model.colliders[2].name = "block";
    model.colliders[2].rigid.mass = 1;
    ToySolver<double> solver;
    Recorder seen;
    const RunFolder plain(place / "plain"), with_method(place / "method");
    run(model, toy_state<double>(), solver, plain, {2}, seen);
    Frame frame = read_frame(plain.frame(2));
    EXPECT_EQ(frame.pose_of("floor"), nullptr);
    ASSERT_NE(frame.pose_of("paddle"), nullptr);
    EXPECT_EQ(frame.pose_of("paddle")->position, (Vec3d{2 * 2 / 24.0, 0, 0}));
    ASSERT_NE(frame.pose_of("block"), nullptr);

    State<double> state = toy_state<double>();
    state.rigid.resize(3);
    state.rigid[2].pose.position = {0, 0.25, 0};
    run(model, state, solver, with_method, {2}, seen);
    frame = read_frame(with_method.frame(2));
    EXPECT_EQ(frame.pose_of("block")->position, (Vec3d{0, 0.25, 0}));
}

// No step exceeds the limit, and none is less than half of what the limit leaves.
TEST(Run, NoSubstepIsASliver) {
    const TemporaryFolder place;
    const Model model = toy_model(20);
    ToySolver<double> solver;
    solver.dt = 0.0099;
    Recorder seen;
    run(model, toy_state<double>(), solver, RunFolder(place / "run"), {20}, seen);
    for (const double dt : seen.dts) {
        EXPECT_LE(dt, 0.0099 * 1.2);
        EXPECT_GE(dt, 0.0099 * 0.8 / 2 * (1 - 1e-12));
    }
}

// x = x0 + v0 t + g t^2 / 2 holds for any steps; only rounding is left: some 100 steps of 1e-16.
TEST(Run, ParticlesFollowTheParabola) {
    const TemporaryFolder place;
    const Model model = toy_model(12);
    ToySolver<double> solver;
    Recorder seen;
    const State<double> start = toy_state<double>();
    run(model, start, solver, RunFolder(place / "run"), {12}, seen);
    const FrameStatistics& first = seen.frames.front();
    const FrameStatistics& last = seen.frames.back();
    const double t = 0.5;
    const Vec3d expected =
        first.centre_of_mass + t / first.mass * first.momentum + (0.5 * t * t) * Vec3d{0, -9.81, 0};
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(last.centre_of_mass[k], expected[k], 1e-12);
    EXPECT_NEAR(last.momentum.y, first.momentum.y - 9.81 * t * first.mass, 1e-9);
}

TEST(Run, TheScenesCapHolds) {
    const TemporaryFolder place;
    Model model = toy_model(2);
    model.time.max_dt = 0.001;
    ToySolver<float> solver;
    Recorder seen;
    run(model, toy_state<float>(), solver, RunFolder(place / "run"), {2}, seen);
    for (const double dt : seen.dts) EXPECT_LE(dt, 0.001);
    EXPECT_EQ(seen.cost.limits.front().reason, "time.max_dt of the scene");
}

TEST(Run, SaysWhatItWillCost) {
    const TemporaryFolder place;
    const Model model = toy_model(3);
    ToySolver<float> solver;
    Recorder seen;
    run(model, toy_state<float>(), solver, RunFolder(place / "run"), {3}, seen);
    EXPECT_EQ(seen.cost.dt, 0.0041);
    EXPECT_EQ(seen.cost.limits.front().reason, "stiffness of toy");
    EXPECT_EQ(seen.cost.substeps_per_frame, 11);  // 1/24 / 0.0041 = 10.16
    EXPECT_EQ(seen.cost.particles, 300u);
    // id 8, parent 8, body 4, x 24, v 12, mass 4, volume 4, hardening 4, twice; and four block
    // ranges.
    EXPECT_EQ(seen.cost.particle_bytes, 2 * (300 * 68 + 4 * sizeof(BlockRange)));
    EXPECT_EQ(seen.last_estimate, 0);
}

TEST(Run, WritesFramesStatisticsReportAndACheckpoint) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run");
    ToySolver<float> solver;
    Recorder seen;
    run(toy_model(3), toy_state<float>(), solver, folder, {3, 77}, seen);
    const Frame frame = read_frame(folder.frame(2));
    EXPECT_EQ(frame.count, 300u);
    EXPECT_EQ(frame.frame, 2);
    EXPECT_EQ(read_stats(folder.stats()).rows.size(), 4u);
    EXPECT_NE(bytes_of(folder.report()).find("\"finished\""), std::string::npos);
    const CheckpointHeader last = verify_checkpoint(folder.checkpoint_files().back());
    EXPECT_EQ(last.frame, 3);
    EXPECT_EQ(last.model_hash, 77u);
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
        EXPECT_NE(entry.path().extension(), ".part");
}

// Resumes again and again until the run is done; each time it is stopped after `steps` substeps.
template <class Toy = ToySolver<float>>
void run_in_pieces(const Model& model, const RunFolder& folder, int frames, int steps,
                   const std::function<void(ToySolver<float>&)>& configure) {
    for (int piece = 0; piece < 1000; ++piece) {
        std::atomic<bool> stop = false;
        int taken = 0;
        Toy solver;
        configure(solver);
        solver.after_step = [&] { stop = ++taken >= steps; };
        const RunOptions options{frames, 5, "cpu", &stop};
        RunObserver nobody;
        const auto checkpoint = folder.load<float>(5, [](const std::string&) { FAIL(); });
        const RunOutcome outcome =
            checkpoint ? resume(model, *checkpoint, solver, folder, options, nobody)
                       : run(model, toy_state<float>(), solver, folder, options, nobody);
        if (outcome.finished) return;
    }
    FAIL() << "never finished";
}

// A run of a plain toy, and one of Toy stopped every so many substeps: the same bytes. Returns how
// often the first was rolled back.
template <class Toy = ToySolver<float>>
std::size_t expect_same_in_pieces(
    const Model& model, int frames, std::initializer_list<int> sizes,
    const std::function<void(ToySolver<float>&)>& configure = [](ToySolver<float>&) {}) {
    const TemporaryFolder place;
    const RunFolder whole(place / "whole");
    ToySolver<float> solver;
    configure(solver);
    Recorder seen;
    run(model, toy_state<float>(), solver, whole, {frames, 5}, seen);
    for (const int steps : sizes) {
        const RunFolder pieces(place / ("pieces" + std::to_string(steps)));
        run_in_pieces<Toy>(model, pieces, frames, steps, configure);
        expect_same_run(whole, pieces, frames);
    }
    return seen.troubles.size();
}

TEST(Resume, ManyStopsGiveTheSameBytes) { expect_same_in_pieces(toy_model(6), 6, {1, 4, 11, 25}); }

TEST(Resume, StopsWhileFramesAreReadGiveTheSameBytes) {
    Model model = toy_model(6);
    model.output.checkpoint_seconds = 1000;
    expect_same_in_pieces<ToyElsewhere>(model, 6, {1, 11, 25});
}

// A roll-back returns to the start of the frame even when a stop came between the two.
TEST(Resume, RollBacksAcrossAStopGiveTheSameBytes) {
    const auto configure = [](ToySolver<float>& solver) {
        solver.fails_above = 0.0015;
        solver.fails_between[0] = 0.03;
        solver.fails_between[1] = 0.06;
    };
    EXPECT_GT(expect_same_in_pieces(toy_model(4), 4, {1, 3, 7}, configure), 0u);
}

TEST(Resume, AnOlderCheckpointAndStaleFilesGiveTheSameBytes) {
    const TemporaryFolder place;
    Model model = toy_model(6);
    model.output.checkpoint_seconds = 0;
    const RunFolder whole(place / "whole");
    RunObserver nobody;
    ToySolver<float> solver;
    run(model, toy_state<float>(), solver, whole, {6, 5}, nobody);

    // As a kill might leave it: frames and rows beyond the checkpoint, half-written files.
    const RunFolder killed(place / "killed");
    fs::copy(whole.path(), killed.path(), fs::copy_options::recursive);
    fs::remove(killed.checkpoint_files().back());
    std::ofstream(killed.frame(6)) << "stale";
    const std::string half = killed.frames() + "/.knead-host-1-2.part";
    std::ofstream(half) << "half";
    std::ofstream(killed.frame(6) + ".part") << "a person's own";
    std::ofstream(killed.stats(), std::ios::app) << "7,0.2,";
    const auto checkpoint = killed.load<float>(5, [](const std::string&) { FAIL(); });
    ASSERT_EQ(checkpoint->state.frame, 5);
    resume(model, *checkpoint, solver, killed, {6, 5}, nobody);
    expect_same_run(whole, killed, 6);
    EXPECT_FALSE(fs::exists(half));
    EXPECT_TRUE(fs::exists(killed.frame(6) + ".part"));
}

TEST(Resume, ALongerRunContinuesAFinishedOne) {
    const TemporaryFolder place;
    RunObserver nobody;
    ToySolver<float> solver;
    const RunFolder whole(place / "whole"), grown(place / "grown");
    run(toy_model(5), toy_state<float>(), solver, whole, {5, 5}, nobody);
    run(toy_model(5), toy_state<float>(), solver, grown, {2, 5}, nobody);
    resume(toy_model(5), *grown.load<float>(5, [](const std::string&) {}), solver, grown, {5, 5},
           nobody);
    expect_same_run(whole, grown, 5);
}

TEST(RollBack, HalvesTheStepUntilTheFrameSucceeds) {
    const TemporaryFolder place;
    ToySolver<float> solver;
    solver.fails_above = 0.0015;  // a quarter of 0.0041 passes
    solver.fails_between[0] = 1 / 24.0 + 0.01;
    solver.fails_between[1] = 1 / 24.0 + 0.02;
    Recorder seen;
    run(toy_model(5), toy_state<float>(), solver, RunFolder(place / "run"), {5}, seen);
    ASSERT_EQ(seen.troubles.size(), 2u);
    EXPECT_NE(seen.troubles[0].find("frame 2"), std::string::npos) << seen.troubles[0];
    EXPECT_NE(seen.troubles[0].find("toy stage"), std::string::npos);
    EXPECT_NE(seen.troubles[0].find("particle 7"), std::string::npos);
    // 11 steps a frame; four times as many in frame 2, twice in frame 3, then all is as before.
    const auto substeps = [&](std::size_t k) { return seen.frames[k].substeps; };
    EXPECT_GE(substeps(2), 4 * substeps(1) - 8);
    EXPECT_NEAR(static_cast<double>(substeps(3)), 2.0 * static_cast<double>(substeps(5)), 4);
    EXPECT_LE(substeps(4), 14);
    EXPECT_LE(substeps(5), 14);
    // What the failed attempts did is gone: the sum of all steps is the time.
    EXPECT_NEAR(seen.frames.back().extra[0].second, 5 / 24.0, 1e-12);
}

// Runs and returns what the failure said.
std::string failure(const Model& model, ToySolver<float>& solver, const RunFolder& folder,
                    RunObserver& observer) {
    try {
        run(model, toy_state<float>(), solver, folder, {model.time.frames, 5}, observer);
    } catch (const RunError& error) {
        return error.what();
    }
    ADD_FAILURE() << "it did not fail";
    return {};
}

TEST(RollBack, GivesUpAfterEightAndKeepsTheLastGoodCheckpoint) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run");
    ToySolver<float> solver;
    solver.fails_above = 0;
    solver.fails_between[0] = 2 / 24.0 + 0.02;
    solver.fails_between[1] = 1e30;
    Recorder seen;
    const std::string what = failure(toy_model(5), solver, folder, seen);
    EXPECT_EQ(seen.troubles.size(), 8u);
    for (const char* part : {"frame 3", "particle 7", "toy stage", "it was told to", "--resume",
                             "checkpoint is frame 2"})
        EXPECT_NE(what.find(part), std::string::npos) << part << " in " << what;
    EXPECT_EQ(verify_checkpoint(folder.checkpoint_files().back()).frame, 2);
    EXPECT_NE(bytes_of(folder.report()).find("\"failed\""), std::string::npos);
}

TEST(Run, ASolverWithoutMemoryLeavesTheFramesStart) {
    const TemporaryFolder place;
    const RunFolder whole(place / "whole"), folder(place / "run");
    Model model = toy_model(5);
    RunObserver nobody;
    ToySolver<float> solver;
    run(model, toy_state<float>(), solver, whole, {5, 5}, nobody);

    ToySolver<float> full;
    full.full_at_step = 26;  // in the third frame
    const std::string what = failure(model, full, folder, nobody);
    for (const char* part : {"frame 3", "the memory is full", "--resume", "checkpoint is frame 2"})
        EXPECT_NE(what.find(part), std::string::npos) << part << " in " << what;
    const auto checkpoint = folder.load<float>(5, [](const std::string&) { FAIL(); });
    ASSERT_TRUE(checkpoint.has_value());
    resume(model, *checkpoint, solver, folder, {5, 5}, nobody);
    expect_same_run(whole, folder, 5);
}

TEST(RollBack, ANumberThatIsNoneNeverReachesAFile) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run");
    ToySolver<float> solver;
    solver.nan_at_step = 15;
    Recorder seen;
    const std::string what = failure(toy_model(5), solver, folder, seen);
    EXPECT_NE(what.find("particle 3"), std::string::npos) << what;
    EXPECT_TRUE(fs::exists(folder.frame(1)));
    EXPECT_FALSE(fs::exists(folder.frame(2)));
    EXPECT_EQ(read_stats(folder.stats()).rows.size(), 2u);
}

// Frames that are read while the next one runs are those of a solver whose particles are at hand.
TEST(Run, FramesReadWhileStepsGoOnAreTheSame) {
    const TemporaryFolder place;
    Model model = toy_model(6);
    model.output.checkpoint_seconds = 1000;
    const RunFolder here(place / "here"), elsewhere(place / "elsewhere");
    Recorder seen, seen_elsewhere;
    ToySolver<float> solver;
    run(model, toy_state<float>(), solver, here, {6}, seen);
    ToyElsewhere other;
    EXPECT_TRUE(run(model, toy_state<float>(), other, elsewhere, {6}, seen_elsewhere).finished);
    EXPECT_EQ(other.read, 5);  // the first is at hand, the last is saved
    EXPECT_EQ(seen_elsewhere.frames.size(), 7u);
    expect_same_run(here, elsewhere, 6);
}

TEST(RollBack, AFrameThatIsReadTooLateToBeWrittenIsTakenAgain) {
    const TemporaryFolder place;
    Model model = toy_model(6);
    model.output.checkpoint_seconds = 1000;
    const RunFolder folder(place / "run");
    ToyElsewhere solver;
    solver.breaks_above = 0.0015;  // the steps are 0.0041 long, so two halvings are needed
    solver.breaks_between[0] = 0.09;
    solver.breaks_between[1] = 0.12;
    Recorder seen;
    EXPECT_TRUE(run(model, toy_state<float>(), solver, folder, {6}, seen).finished);
    ASSERT_EQ(seen.troubles.size(), 2u);
    for (const std::string& trouble : seen.troubles) {
        EXPECT_NE(trouble.find("frame 3"), std::string::npos) << trouble;
        EXPECT_NE(trouble.find("particle 3: a sum over all particles is not a number"),
                  std::string::npos)
            << trouble;
    }
    ASSERT_EQ(seen.frames.size(), 7u);
    for (std::size_t k = 0; k < seen.frames.size(); ++k) {
        EXPECT_EQ(seen.frames[k].frame, static_cast<int>(k));
        EXPECT_TRUE(seen.frames[k].finite());
    }
}

TEST(Run, AStepBelowTheLeastAllowedNamesItsReason) {
    const TemporaryFolder place;
    Model model = toy_model(2);
    model.time.min_dt = 0.005;
    ToySolver<float> solver;
    RunObserver nobody;
    const std::string what = failure(model, solver, RunFolder(place / "run"), nobody);
    EXPECT_NE(what.find("stiffness of toy"), std::string::npos) << what;
    EXPECT_NE(what.find("min_dt"), std::string::npos) << what;
}

// A limit on file size stands for a full disk: the same system calls fail half-way.
TEST(Run, AFullDiskLeavesTheLastGoodCheckpoint) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run");
    Model model = toy_model(8);
    model.output.checkpoint_seconds = 0;
    ToySolver<float> solver;
    struct Filling : RunObserver {
        void frame(const FrameStatistics& s, const Progress&) override {
            const rlimit small{1000, RLIM_INFINITY};
            if (s.frame == 3) setrlimit(RLIMIT_FSIZE, &small);
        }
    } filling;
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const std::string what = failure(model, solver, folder, filling);
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_NE(what.find("File too large"), std::string::npos) << what;
    EXPECT_NE(what.find("--resume"), std::string::npos) << what;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
        EXPECT_NE(entry.path().extension(), ".part");

    // With room again, the run goes on to the same end.
    RunObserver nobody;
    const RunFolder whole(place / "whole");
    run(model, toy_state<float>(), solver, whole, {8, 5}, nobody);
    const auto checkpoint = folder.load<float>(5, [](const std::string&) { FAIL(); });
    ASSERT_TRUE(checkpoint.has_value());
    EXPECT_EQ(checkpoint->state.frame, 2);
    resume(model, *checkpoint, solver, folder, {8, 5}, nobody);
    expect_same_run(whole, folder, 8);
}

TEST(Run, AFolderThatCannotBeMadeIsNamed) {
    ToySolver<float> solver;
    RunObserver nobody;
    const std::string what =
        failure(toy_model(1), solver, RunFolder("/proc/no/such/place"), nobody);
    EXPECT_NE(what.find("/proc/no"), std::string::npos) << what;
}

}  // namespace
}  // namespace knead::test
