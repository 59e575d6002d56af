#include "knead/sim/frame_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "knead/base/error.h"
#include "knead/sim/frame_info.h"
#include "knead/sim/stats_file.h"
#include "sim/toy.h"

namespace knead::test {
namespace {

TEST(WrittenFrames, OneThatFailedIsWrittenAgainOnceThereIsRoom) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run");
    folder.create();
    ToySolver<float> solver;
    State<float> state = toy_state<float>();
    solver.prepare(state);
    RunObserver observer;
    FrameFiles<float> files(folder, solver, observer);
    files.add({frame_info(toy_model(1), state), measure(state, solver), Progress{}});
    std::filesystem::remove(folder.frames());
    files.write_beside(state);
    EXPECT_THROW(files.finish(), RunError);
    EXPECT_EQ(folder.first_gap(), 0);
    EXPECT_THROW(files.write_again(state), RunError);
    folder.create();
    files.write_again(state);
    EXPECT_EQ(folder.first_gap(), 1);
    files.write_again(state);  // nothing is left to write
    EXPECT_EQ(whole_stats_rows(folder.stats()), 1);
}

}  // namespace
}  // namespace knead::test
