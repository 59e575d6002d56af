// Whole runs on the GPU: batches, snapshots, roll-backs, emission, checkpoints, full memory, and
// the schedule of healing, removal and resampling, compared with the CPU's.
#include <cmath>
#include <filesystem>

#include "knead/base/error.h"
#include "needs_gpu.h"
#include "whole_runs.h"

namespace knead {

namespace {

constexpr auto cpu = Backend::cpu, gpu = Backend::cuda;

// Sums over all particles, frame by frame, up to a share of the scale of the whole run.
void expect_same_motion(const WholeRun& a, const WholeRun& b, double share) {
    ASSERT_EQ(a.rows.size(), b.rows.size());
    for (const char* name : {"mass", "kinetic_energy", "momentum_y", "centre_of_mass_x",
                             "centre_of_mass_y", "bbox_min_y", "bbox_max_y", "max_speed"}) {
        ASSERT_TRUE(a.rows[0].contains(name)) << name;
        double scale = 0;
        for (const auto& row : a.rows) scale = std::max(scale, std::abs(row.at(name)));
        for (std::size_t k = 0; k < a.rows.size(); ++k)
            EXPECT_NEAR(b.rows[k].at(name), a.rows[k].at(name), share * scale + 1e-9)
                << name << ", frame " << k;
    }
}

double last(const WholeRun& run, const char* name) { return run.rows.back().at(name); }

}  // namespace

TEST(GpuRun, FollowsTheCpuFrameByFrame) {
    NEEDS_GPU();
    WholeRun on_cpu, on_gpu;
    on_cpu.start(solids, cpu);
    on_gpu.start(solids, gpu);
    expect_same_motion(on_cpu, on_gpu, 2e-3);
    EXPECT_EQ(on_gpu.outcome.steps, on_cpu.outcome.steps);
    // Particle by particle in the first frame.
    const Frame a = read_frame(on_cpu.folder.frame(1)), b = read_frame(on_gpu.folder.frame(1));
    ASSERT_EQ(a.count, b.count);
    for (const char* axis : {"x", "y", "z"}) {
        const auto at = a.floats(axis), other = b.floats(axis);
        for (std::size_t i = 0; i < a.count; ++i) ASSERT_NEAR(at[i], other[i], 1e-3 * 0.05);
    }
}

TEST(GpuRun, SnapshotsAndFetchedFramesHoldTheSameBytes) {
    NEEDS_GPU();
    WholeRun remembered, fetched;
    remembered.start(solids, gpu);
    fetched.start(solids, gpu, {"output.checkpoint_seconds=0"});
    expect_same_bytes(remembered, fetched, 4);
}

TEST(GpuRun, AResumedRunGoesOnToTheSameBytes) {
    NEEDS_GPU();
    const std::vector<std::string> edits{"solver.resampling=true", "solver.remove_subgrid=true",
                                         "solver.resampling_interval=0.01",
                                         "solver.resampling_strain=0.05"};
    for (const std::string* scene : {&solids, &foam}) {
        auto settings = scene == &foam ? edits : std::vector<std::string>{};
        WholeRun unbroken, broken;
        unbroken.start(*scene, gpu, settings);
        settings.push_back("time.frames=2");
        broken.start(*scene, gpu, settings);
        settings.back() = "time.frames=4";
        broken.go_on(*scene, gpu, settings);
        expect_same_bytes(unbroken, broken, 4);
    }
}

// Particles come and go where and when they do on the CPU.
TEST(GpuRun, FoamIsEmittedHealedAndEditedAsOnTheCpu) {
    NEEDS_GPU();
    const std::vector<std::string> edits{"solver.resampling=true", "solver.remove_subgrid=true",
                                         "solver.resampling_interval=0.005",
                                         "solver.resampling_strain=0.05"};
    WholeRun on_cpu, on_gpu;
    on_cpu.start(foam, cpu, edits);
    on_gpu.start(foam, gpu, edits);
    EXPECT_GT(last(on_cpu, "inserted"), 0);
    EXPECT_GT(last(on_cpu, "removed"), 0);
    for (const char* name : {"particles", "inserted", "merged", "removed", "weak"})
        EXPECT_NEAR(last(on_gpu, name), last(on_cpu, name), 2 + 0.1 * last(on_cpu, name)) << name;
    expect_same_motion(on_cpu, on_gpu, 2e-2);
}

TEST(GpuRun, AStrandComesAndDrainsAsOnTheCpu) {
    NEEDS_GPU();
    const std::string strand = changed_scene("strand.toml", {});
    WholeRun on_cpu, on_gpu, broken;
    on_cpu.start(strand, cpu);
    on_gpu.start(strand, gpu);
    for (const char* name : {"mass_in", "mass_out", "mass"})
        EXPECT_NEAR(last(on_gpu, name), last(on_cpu, name), 0.02 * last(on_cpu, "mass_in")) << name;
    EXPECT_GT(last(on_gpu, "mass_out"), 0);
    EXPECT_NEAR(last(on_gpu, "mass"), last(on_gpu, "mass_in") - last(on_gpu, "mass_out"), 1e-6);
    broken.start(strand, gpu, {"time.frames=6"});
    broken.go_on(strand, gpu);
    expect_same_bytes(on_gpu, broken, 10);
}

TEST(GpuRun, SliversAreRemovedWithoutResamplingToo) {
    NEEDS_GPU();
    WholeRun on_cpu, on_gpu;
    on_cpu.start(foam, cpu, {"solver.remove_subgrid=true"});
    on_gpu.start(foam, gpu, {"solver.remove_subgrid=true"});
    EXPECT_GT(last(on_cpu, "removed"), 0);
    EXPECT_NEAR(last(on_gpu, "removed"), last(on_cpu, "removed"),
                1 + 0.1 * last(on_cpu, "removed"));
    EXPECT_NEAR(last(on_gpu, "removed_mass"), last(on_cpu, "removed_mass"),
                0.1 * last(on_cpu, "removed_mass"));
}

// The fastest particles come to speeds that the step did not reckon with. The frame is taken again
// from its start, so it is the frame of a run whose steps were short enough from the beginning.
TEST(GpuRun, RollsBackAFrameThatFails) {
    NEEDS_GPU();
    std::string fast = solids;
    fast.replace(fast.find("[0, -1.5, 0]"), 12, "[0, -150, 0]");
    fast.replace(fast.find("[0.2, -2, 0]"), 12, "[0, -250, 0]");
    WholeRun run;
    const std::vector<std::string> settings{"solver.stability=1", "solver.cfl=1", "time.frames=1"};
    run.start(fast, gpu, settings);
    ASSERT_FALSE(run.troubles.empty());
    EXPECT_EQ(run.outcome.frame, 1);
    WholeRun careful;
    careful.start(fast, gpu, settings, std::pow(0.5, run.troubles.size()));
    EXPECT_TRUE(careful.troubles.empty());
    expect_same_bytes(careful, run, 1);
    for (const auto& row : run.rows)
        for (const auto& [name, value] : row) EXPECT_TRUE(std::isfinite(value)) << name;
}

TEST(GpuRun, FullMemoryEndsTheRunWithAWordAndACheckpoint) {
    NEEDS_GPU();
    if (!gpu_is_emulated()) GTEST_SKIP() << "a real GPU has more memory than that";
    const Environment little("KNEAD_EMULATED_MEMORY_MIB", "0.2");
    WholeRun run;
    try {
        run.start(foam, gpu);
        FAIL() << "that was enough";
    } catch (const RunError& error) {
        EXPECT_NE(std::string(error.what()).find("the GPU's memory is full"), std::string::npos);
    }
    EXPECT_FALSE(run.folder.checkpoint_files().empty());
}

// Where memory has no room for a snapshot, frames are fetched, and come out the same.
TEST(GpuRun, WithoutMemoryForASnapshotFramesAreFetched) {
    NEEDS_GPU();
    if (!gpu_is_emulated()) GTEST_SKIP() << "a real GPU has more memory than that";
    WholeRun roomy;
    roomy.start(solids, gpu, {"time.frames=2"});
    for (double mebibytes = 0.5;; mebibytes *= 1.2) {
        ASSERT_LT(mebibytes, 40);
        const Environment memory("KNEAD_EMULATED_MEMORY_MIB", std::to_string(mebibytes));
        WholeRun tight;
        try {
            tight.start(solids, gpu, {"time.frames=2"});
        } catch (const RunError&) {
            continue;
        }
        return expect_same_bytes(roomy, tight, 2);
    }
}

TEST(GpuRun, GripsAreRefusedWithAWord) {
    NEEDS_GPU();
    WholeRun run;
    try {
        run.start(solids + "[[grips]]\nshape = {sphere = {radius = 0.2}}\n", gpu);
        FAIL() << "they were taken";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("the GPU takes no grips yet"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("--backend cpu"), std::string::npos);
    }
}

}  // namespace knead
