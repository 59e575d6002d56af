#include "knead/sim/run_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "knead/base/error.h"
#include "knead/io/frame_writer.h"
#include "knead/sim/run_lock.h"
#include "knead/sim/run_report.h"
#include "knead/sim/stats_file.h"
#include "sim/toy.h"

namespace knead::test {
namespace {

void write_small_frame(const std::string& path) {
    const std::vector<float> x{1, 2, 3, 4, 5};
    write_frame(path, Frame{0, 0, x.size(), {{"x", x}, {"y", x}, {"z", x}}});
}

void append_row(const RunFolder& folder, int frame) {
    FrameStatistics row;
    row.frame = frame;
    append_stats(folder.stats(), row);
}

TEST(RunFolder, FallsBackToTheOlderCheckpointWithAWarning) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run");
    folder.create();
    const auto ignore = [](const std::string&) {};
    EXPECT_FALSE(folder.load<float>(1, ignore).has_value());
    State<float> state = toy_state<float>();
    for (state.frame = 0; state.frame < 2; ++state.frame) {
        write_small_frame(folder.frame(state.frame));
        append_row(folder, state.frame);
        folder.save<float>(state, nullptr, 1);
    }

    const auto files = folder.checkpoint_files();
    std::filesystem::resize_file(files[1], 1000);
    std::string warning;
    const auto back =
        folder.load<float>(1, [&](const std::string& text) { warning += text + "\n"; });
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(back->state.frame, 0);
    EXPECT_NE(warning.find(files[1]), std::string::npos) << warning;

    std::filesystem::resize_file(files[0], 1000);
    EXPECT_THROW(folder.load<float>(1, ignore), InputError);
}

TEST(RunFolder, ACheckpointThatCannotBeIsPassedOver) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run");
    folder.create();
    State<float> state = toy_state<float>();
    for (state.frame = 0; state.frame < 2; ++state.frame) {
        write_small_frame(folder.frame(state.frame));
        append_row(folder, state.frame);
        folder.save<float>(state, nullptr, 1);
    }
    std::string warning;
    const auto warn = [&](const std::string& text) { warning += text + "\n"; };
    const auto only = [](int frame) {
        return [frame](const Checkpoint<float>& c) {
            if (c.state.frame > frame) throw InputError({c.file}, "cannot be");
        };
    };
    EXPECT_EQ(folder.load<float>(1, warn, only(1))->state.frame, 1);
    EXPECT_EQ(warning, "");
    EXPECT_EQ(folder.load<float>(1, warn, only(0))->state.frame, 0);
    EXPECT_NE(warning.find(folder.checkpoint_files().back() + ": cannot be"), std::string::npos);
    EXPECT_THROW(folder.load<float>(1, warn, only(-1)), InputError);
    // another scene is no damage
    EXPECT_THROW(folder.load<float>(2, warn, only(1)), ForeignCheckpoint);
}

TEST(RunFolder, ARunWhoseProcessIsGoneWasKilled) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run");
    EXPECT_EQ(folder.status(), "");
    EXPECT_EQ(folder.writer(), "");
    {
        RunLock lock(folder);
        lock.keep();
        RunReport report;
        report.status = "running";
        write_report(folder.report(), report);
        EXPECT_EQ(folder.status(), "running");
        EXPECT_EQ(folder.writer().find("process " + std::to_string(getpid()) + " on "), 0u);
        try {
            const RunLock second(folder);
            FAIL();
        } catch (const RunError& error) {
            EXPECT_NE(std::string(error.what()).find(folder.writer()), std::string::npos);
        }
    }
    EXPECT_EQ(folder.status(), "killed");
    RunReport report;
    report.status = "finished";
    write_report(folder.report(), report);
    EXPECT_EQ(folder.status(), "finished");
}

TEST(RunFolder, AFrameOrARowThatIsCutShortCountsAsMissing) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run");
    folder.create();
    for (int frame = 0; frame < 3; ++frame) {
        write_small_frame(folder.frame(frame));
        append_row(folder, frame);
    }
    EXPECT_EQ(folder.first_gap(), 3);
    std::filesystem::resize_file(folder.frame(1), std::filesystem::file_size(folder.frame(1)) - 1);
    EXPECT_EQ(folder.first_gap(), 1);
    write_small_frame(folder.frame(1));
    EXPECT_EQ(folder.first_gap(), 3);
    std::ifstream in(folder.stats());
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::size_t row = text.find("\n1,") + 3;
    text[row] = 'x';
    std::ofstream(folder.stats()) << text;
    EXPECT_EQ(folder.first_gap(), 1);
}

TEST(RunFolder, ACheckpointAheadOfTheFramesIsNotResumed) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run");
    folder.create();
    State<float> state = toy_state<float>();
    const auto ignore = [](const std::string&) {};
    EXPECT_EQ(folder.first_gap(), 0);
    for (state.frame = 0; state.frame < 3; ++state.frame) {
        write_small_frame(folder.frame(state.frame));
        append_row(folder, state.frame);
        if (state.frame > 0) folder.save<float>(state, nullptr, 1);
    }
    EXPECT_EQ(folder.first_gap(), 3);
    std::filesystem::remove(folder.frame(2));
    EXPECT_EQ(folder.load<float>(1, ignore)->state.frame, 1);
    std::filesystem::remove(folder.frame(0));
    EXPECT_THROW(folder.load<float>(1, ignore), InputError);
    write_small_frame(folder.frame(0));
    EXPECT_EQ(folder.first_gap(), 2);
    truncate_stats(folder.stats(), 0);
    EXPECT_EQ(folder.first_gap(), 1);
    EXPECT_THROW(folder.load<float>(1, ignore), InputError);
}

TEST(RunFolder, OneRunAtATimeHoldsTheLock) {
    const TemporaryFolder place;
    const RunFolder folder(place / "a/b");
    {
        const RunLock lock(folder);
        EXPECT_THROW(RunLock{folder}, RunError);
        EXPECT_TRUE(std::filesystem::exists(place / "a/b/.lock"));
    }
    EXPECT_FALSE(std::filesystem::exists(place / "a"));  // nothing was written
    {
        RunLock lock(folder);
        lock.keep();
    }
    EXPECT_TRUE(std::filesystem::exists(place / "a/b/.lock"));
    const RunLock again(folder);
}

TEST(RunFolder, KnowsWhatARunWrites) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run");
    folder.create();
    for (const char* name : {"scene.toml", "frames/frame_00003.ply", "frames/frame_3.ply",
                             "frames/mine.ply", "checkpoints/checkpoint_00001.h5", "own.toml"})
        std::ofstream(folder.path() + "/" + name) << name;
    std::filesystem::create_symlink(folder.scene(), place / "link");
    EXPECT_TRUE(folder.writes(folder.scene()));
    EXPECT_TRUE(folder.writes(place / "link"));
    EXPECT_TRUE(folder.writes(place / "run/../run/frames/frame_00003.ply"));
    EXPECT_TRUE(folder.writes(folder.checkpoints() + "/checkpoint_00001.h5"));
    EXPECT_FALSE(folder.writes(folder.frames() + "/frame_3.ply"));
    EXPECT_FALSE(folder.writes(folder.frames() + "/mine.ply"));
    EXPECT_FALSE(folder.writes(place / "run/own.toml"));
    EXPECT_FALSE(folder.writes(place / "nothing"));
}

}  // namespace
}  // namespace knead::test
