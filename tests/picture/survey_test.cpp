#include "knead/picture/survey.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/scratch_folder.h"
#include "knead/base/error.h"
#include "knead/io/frame_writer.h"
#include "knead/sim/stats_file.h"

namespace knead::test {
namespace {

namespace fs = std::filesystem;

// Frame k: two particles at -k and k on every axis, one at rest, one at speed 5 (k + 1).
std::string add_frame(const std::string& folder, int k) {
    const float a = static_cast<float>(k);
    Frame frame{k, 0.1 * k, 2, {}, {}};
    for (const char* name : {"x", "y", "z"})
        frame.columns.push_back({name, std::vector<float>{-a, a}});
    frame.columns.push_back({"vx", std::vector<float>{0, 3 * (a + 1)}});
    frame.columns.push_back({"vy", std::vector<float>{0, 4 * (a + 1)}});
    frame.columns.push_back({"vz", std::vector<float>{0, 0}});
    const std::string path = frame_path(folder, "frame", k, "ply");
    write_frame(path, frame);
    return path;
}

// Around all of them.
Box3 survey_box(const std::string& stats, const std::vector<std::string>& frames) {
    Box3 all;
    for (const Box3& box : survey_boxes(stats, frames)) all.add(box.lo), all.add(box.hi);
    return all;
}

TEST(Survey, TheBoxIsThatOfTheStatisticsWhereTheyAreComplete) {
    const ScratchFolder folder;
    const std::string stats = folder.path + "/stats.csv";
    const std::vector<std::string> frames{add_frame(folder.path, 0), add_frame(folder.path, 1)};
    EXPECT_EQ(survey_box(stats, frames).hi.x, 1);  // there are none: frames are read
    FrameStatistics row;
    row.particles = 2;
    row.bbox_min = {-7, -8, -9};
    row.bbox_max = {0, 1, 2};
    append_stats(stats, row);
    EXPECT_EQ(survey_box(stats, frames).lo.x, -1);  // one is missing
    row.frame = 1;
    row.bbox_max = {1, 2, 3};
    append_stats(stats, row);
    const Box3 box = survey_box(stats, frames);
    EXPECT_EQ(box.lo.z, -9);
    EXPECT_EQ(box.hi.z, 3);
    row.frame = 2;
    row.particles = 0;  // says nothing about where particles are
    row.bbox_max = {99, 99, 99};
    append_stats(stats, row);
    EXPECT_EQ(survey_box(stats, {frames[0], frames[1], folder.path + "/frame_00002.ply"}).hi.z, 3);
}

TEST(Survey, RangesAreKeptAndAFrameThatChangedIsReadAgain) {
    const ScratchFolder folder;
    const std::string file = folder.path + "/survey.json";
    std::vector<std::string> frames{add_frame(folder.path, 0), add_frame(folder.path, 1)};
    const ValueRange speed = survey_range(file, frames, "speed");
    EXPECT_EQ(speed.lo, 0);
    EXPECT_EQ(speed.hi, 10);
    const auto written = fs::last_write_time(file);
    EXPECT_EQ(survey_range(file, frames, "speed").hi, 10);
    EXPECT_EQ(fs::last_write_time(file), written);  // nothing new
    EXPECT_EQ(survey_range(file, frames, "x").lo, -1);
    frames.push_back(add_frame(folder.path, 2));
    EXPECT_EQ(survey_range(file, frames, "speed").hi, 15);
    // another frame in the place of the last
    fs::rename(add_frame(folder.path, 5), frames[2]);
    EXPECT_EQ(survey_range(file, frames, "speed").hi, 30);
    for (const char* broken : {"", "{", "[1, 2]", "{\"speed\": {\"frame_00000.ply\": 7}}"}) {
        std::ofstream(file) << broken;
        EXPECT_EQ(survey_range(file, frames, "speed").hi, 30) << broken;
    }
    EXPECT_THROW(survey_range(file, frames, "no such column"), InputError);
}

}  // namespace
}  // namespace knead::test
