#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "io/scratch_folder.h"
#include "knead/base/error.h"
#include "knead/base/random.h"
#include "knead/io/frame_reader.h"
#include "knead/io/frame_writer.h"
#include "knead/io/ply.h"

namespace knead {
namespace {

// Two phases, rows in a scrambled order; only the second has hardening.
std::vector<Phase<double>> two_phases() {
    std::vector<Phase<double>> phases(2);
    const std::vector<std::vector<std::int64_t>> ids = {{7, 1, 4}, {0, 9}};
    for (std::size_t p = 0; p < 2; ++p) {
        Particles<double>& q = phases[p].particles;
        const std::size_t n = ids[p].size();
        q.id.create(n), q.body.create(n), q.x.create(n), q.v.create(n), q.mass.create(n);
        if (p == 1) q.hardening.create(n, 0.25);
        for (std::size_t i = 0; i < n; ++i) {
            const auto id = static_cast<double>(ids[p][i]);
            q.id.at(i) = ids[p][i];
            q.body.at(i) = static_cast<int>(p);
            q.x.set(i, {id, 2 * id, -id});
            q.v.set(i, {id + 0.5, id, 0});
            q.mass.at(i) = 1 + id;
        }
    }
    return phases;
}

TEST(FrameWriter, WhatIsReadBackIsWhatWasWrittenSortedById) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/frame_00012.ply";
    write_frame(path, two_phases(), {12, 0.1, {0.01, 0.02}});
    const Frame frame = read_frame(path);
    EXPECT_EQ(frame.frame, 12);
    EXPECT_EQ(frame.time, 0.1);
    EXPECT_EQ(frame.integers("id"), (std::vector<std::int32_t>{0, 1, 4, 7, 9}));
    EXPECT_EQ(frame.integers("body"), (std::vector<std::int32_t>{1, 0, 0, 0, 1}));
    EXPECT_EQ(frame.floats("pscale"), (std::vector<float>{0.02f, 0.01f, 0.01f, 0.01f, 0.02f}));
    EXPECT_EQ(frame.floats("hardening"), (std::vector<float>{0.25f, 0, 0, 0, 0.25f}));
    EXPECT_EQ(frame.positions()[3], (Vec3f{7, 14, -7}));
    EXPECT_EQ(frame.floats("vx")[4], 9.5f);
    EXPECT_EQ(frame.floats("mass")[2], 5.0f);
    EXPECT_EQ(frame_number(path), 12);
}

TEST(FrameWriter, PosesOfCollidersComeBackToTheBit) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/frame_00003.ply";
    ColliderPose block{"block", {{0.1, 1.0 / 3, -2e-9}, {}}};
    for (int k = 0; k < 9; ++k) block.pose.rotation[k] = 1 / (1.7 + k);
    write_frame(path, two_phases(), {3, 0.1, {}, {block, {"lid", {}}}});
    const Frame frame = read_frame(path);
    ASSERT_EQ(frame.colliders.size(), 2u);
    const Pose* found = frame.pose_of("block");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->position, block.pose.position);
    for (int k = 0; k < 9; ++k) EXPECT_EQ(found->rotation[k], block.pose.rotation[k]);
    EXPECT_EQ(frame.pose_of("floor"), nullptr);
    // a frame that was read is written with them again
    write_frame(folder.path + "/again.ply", frame);
    EXPECT_EQ(read_bytes(path), read_bytes(folder.path + "/again.ply"));
}

TEST(FrameReader, AColliderWithoutAPoseIsAnInputError) {
    const ScratchFolder folder;
    write_frame(folder.path + "/f.ply", two_phases(), {1, 0.5, {}, {{"block", {}}}});
    std::string bytes = read_bytes(folder.path + "/f.ply");
    bytes.replace(bytes.find("block 0"), 7, "block x");
    EXPECT_THROW(parse_frame(bytes, "broken"), InputError);
}

TEST(FrameWriter, BytesDoNotDependOnStorageOrder) {
    const ScratchFolder folder;
    auto phases = two_phases();
    write_frame(folder.path + "/a.ply", phases, {1, 0.5, {0.01, 0.02}});
    Particles<double>& q = phases[0].particles;
    for (int k = 0; k < 3; ++k) std::swap(q.x.at(0, k), q.x.at(2, k));
    for (int k = 0; k < 3; ++k) std::swap(q.v.at(0, k), q.v.at(2, k));
    std::swap(q.id.at(0), q.id.at(2));
    std::swap(q.mass.at(0), q.mass.at(2));
    write_frame(folder.path + "/b.ply", phases, {1, 0.5, {0.01, 0.02}});
    EXPECT_EQ(read_bytes(folder.path + "/a.ply"), read_bytes(folder.path + "/b.ply"));
}

TEST(FrameWriter, AFullDiskLeavesTheOldFileAndNoPart) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/frame_00001.ply";
    write_frame(path, two_phases(), {1, 0.5, {}});
    const std::string before = read_bytes(path);

    // a limit on file size stands for the full disk
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit tight = old;
    tight.rlim_cur = 100;
    setrlimit(RLIMIT_FSIZE, &tight);
    EXPECT_THROW(write_frame(path, two_phases(), {2, 0.5, {}}), RunError);
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, old_handler);

    EXPECT_EQ(read_bytes(path), before);
    EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST(FrameWriter, AMissingFolderIsARunError) {
    EXPECT_THROW(write_frame("/nowhere/at/all/f.ply", two_phases(), {}), RunError);
}

TEST(FrameReader, EveryTruncationIsAnInputError) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/f.ply";
    write_frame(path, two_phases(), {1, 0.5, {}});
    const std::string bytes = read_bytes(path);
    for (std::size_t n = 0; n < bytes.size(); ++n)
        EXPECT_THROW(parse_frame(std::string_view(bytes).substr(0, n), "cut"), InputError) << n;
    EXPECT_EQ(parse_frame(bytes, "whole").count, 5u);
}

TEST(FrameReader, FlippedBytesNeverDoWorseThanAnInputError) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/f.ply";
    write_frame(path, two_phases(), {1, 0.5, {}});
    const std::string bytes = read_bytes(path);
    int refused = 0;
    for (std::uint64_t trial = 0; trial < 5000; ++trial) {
        std::string broken = bytes;
        for (std::uint64_t k = 0; k < 3; ++k)
            broken[random_bits(trial, k) % broken.size()] =
                static_cast<char>(random_bits(trial, k, 1));
        try {
            parse_frame(broken, "broken");
        } catch (const InputError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 1000);
}

TEST(FrameReader, AMissingColumnIsNamedTogetherWithThoseThereAre) {
    const Frame frame = make_frame(two_phases(), {});
    try {
        frame.column("presure");
        FAIL();
    } catch (const InputError& e) {
        EXPECT_NE(std::string(e.what()).find("presure"), std::string::npos);
        EXPECT_NE(std::string(e.what()).find("hardening"), std::string::npos);
    }
}

// The phases above, a strip of two triangles with texture coordinates and one segment; elements
// lie in another order than their ids.
std::vector<Phase<double>> with_elements() {
    std::vector<Phase<double>> phases = two_phases();
    phases[0].kind = PhaseKind::vertices;
    phases[1].kind = PhaseKind::vertices;
    phases.resize(4);
    const std::vector<std::vector<std::int64_t>> ids = {{30, 20}, {25}};
    for (std::size_t p = 2; p < 4; ++p) {
        phases[p].kind = PhaseKind::elements;
        Particles<double>& q = phases[p].particles;
        const std::size_t n = ids[p - 2].size();
        q.id.create(n), q.body.create(n, static_cast<int>(p)), q.x.create(n), q.v.create(n);
        q.mass.create(n, 9), q.flow.create(n);
        for (std::size_t i = 0; i < n; ++i) {
            q.id.at(i) = ids[p - 2][i];
            q.flow.at(i) = 0.5 * static_cast<double>(q.id.at(i));
        }
    }
    Elements<double>& t = phases[2].elements;
    t.create(3, 2);
    t.create_uv();
    const std::int64_t corners[2][3] = {{9, 4, 0}, {1, 7, 4}};
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t c = 0; c < 3; ++c) t.vertex[c][i] = corners[i][c];
    for (std::size_t k = 0; k < 6; ++k) t.uv[k][0] = 0.25 * static_cast<double>(k);
    Elements<double>& s = phases[3].elements;
    s.create(2, 1);
    s.vertex[0][0] = 9, s.vertex[1][0] = 0;
    return phases;
}

TEST(FrameWriter, TrianglesAndSegmentsComeBackByIdAsRowsOfTheTable) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/frame_00001.ply";
    write_frame(path, with_elements(), {1, 0.5, {0.01, 0.02}});
    const Frame frame = read_frame(path);
    EXPECT_EQ(frame.integers("id"), (std::vector<std::int32_t>{0, 1, 4, 7, 9}));
    using Triangles = std::vector<std::array<std::int32_t, 3>>;
    EXPECT_EQ(frame.triangles.corners, (Triangles{{1, 3, 2}, {4, 2, 0}}));  // ids 20 and 30
    EXPECT_EQ(frame.triangles.uv[0], (std::array<float, 6>{}));
    EXPECT_EQ(frame.triangles.uv[1], (std::array<float, 6>{0, 0.25f, 0.5f, 0.75f, 1, 1.25f}));
    ASSERT_EQ(frame.triangles.columns.size(), 2u);  // body and flow, not mass, place or id
    ASSERT_NE(frame.triangles.find("flow"), nullptr);
    EXPECT_EQ(frame.triangles.find("flow")->at(1), 15);
    EXPECT_EQ(frame.triangles.find("body")->at(0), 2);
    EXPECT_EQ(frame.triangles.find("mass"), nullptr);
    EXPECT_EQ(frame.find("flow"), nullptr);  // of elements alone
    using Segments = std::vector<std::array<std::int32_t, 2>>;
    EXPECT_EQ(frame.segments.corners, (Segments{{4, 0}}));
    EXPECT_EQ(frame.segments.find("flow")->at(0), 12.5);
    // a frame that was read is written as it was
    write_frame(folder.path + "/again.ply", frame);
    EXPECT_EQ(read_bytes(path), read_bytes(folder.path + "/again.ply"));
}

TEST(FrameWriter, AnElementWithoutItsVertexIsARunError) {
    auto phases = with_elements();
    phases[3].elements.vertex[1][0] = 3;
    EXPECT_THROW(make_frame(phases, {}), RunError);
}

TEST(FrameReader, TruncationsAndFlippedBytesOfElementsAreInputErrors) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/f.ply";
    write_frame(path, with_elements(), {1, 0.5, {}});
    const std::string bytes = read_bytes(path);
    for (std::size_t n = 0; n < bytes.size(); ++n)
        EXPECT_THROW(parse_frame(std::string_view(bytes).substr(0, n), "cut"), InputError) << n;
    for (std::uint64_t trial = 0; trial < 5000; ++trial) {
        std::string broken = bytes;
        for (std::uint64_t k = 0; k < 3; ++k)
            broken[random_bits(trial, k) % broken.size()] =
                static_cast<char>(random_bits(trial, k, 1));
        try {
            const Frame frame = parse_frame(broken, "broken");
            for (const auto& t : frame.triangles.corners)
                for (const std::int32_t row : t)
                    EXPECT_LT(static_cast<std::size_t>(row), frame.count);
        } catch (const InputError&) {
        }
    }
}

TEST(FrameFiles, AreListedByNumber) {
    const ScratchFolder folder;
    for (int n : {100000, 3, 20}) std::ofstream(frame_path(folder.path, "frame", n, "ply")) << "x";
    std::ofstream(folder.path + "/frame_00003.ply.part") << "x";
    std::ofstream(folder.path + "/other_00001.ply") << "x";
    const auto files = frame_files(folder.path, "frame", "ply");
    ASSERT_EQ(files.size(), 3u);
    EXPECT_EQ(frame_number(files[0]), 3);
    EXPECT_EQ(frame_number(files[1]), 20);
    EXPECT_EQ(frame_number(files[2]), 100000);
}

}  // namespace
}  // namespace knead
