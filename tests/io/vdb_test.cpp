#include "knead/io/vdb.h"

#include <gtest/gtest.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointDataGrid.h>

#include <cmath>

#include "io/scratch_folder.h"
#include "knead/base/error.h"
#include "knead/io/ply.h"
#include "knead/parallel/exec.h"
#include "surface/particle_shapes.h"

namespace knead {
namespace {

openvdb::GridBase::Ptr read_grid(const std::string& path, const std::string& name) {
    openvdb::initialize();
    openvdb::io::File file(path);
    file.open();
    return file.readGrid(name);
}

TEST(VdbPoints, OpenVdbReadsBackEveryParticleWithItsAttributes) {
    const ScratchFolder folder;
    const Frame frame = ball_frame(0.5, 0.1);
    const std::string path = folder.path + "/points.vdb";
    write_vdb_points(path, frame, {{1, 0, 0}, {0, 0, 1}});
    const auto grid =
        openvdb::gridPtrCast<openvdb::points::PointDataGrid>(read_grid(path, "points"));

    const auto x = frame.positions();
    const auto speed = frame.vectors("vx", "vy", "vz");
    const auto body = frame.integers("body");
    std::size_t count = 0;
    for (auto leaf = grid->tree().cbeginLeaf(); leaf; ++leaf) {
        const openvdb::points::AttributeHandle<openvdb::Vec3f> P(leaf->constAttributeArray("P"));
        const openvdb::points::AttributeHandle<openvdb::Vec3f> v(leaf->constAttributeArray("v"));
        const openvdb::points::AttributeHandle<openvdb::Vec3f> Cd(leaf->constAttributeArray("Cd"));
        const openvdb::points::AttributeHandle<int> id(leaf->constAttributeArray("id"));
        const openvdb::points::AttributeHandle<float> r(leaf->constAttributeArray("pscale"));
        for (auto i = leaf->beginIndexOn(); i; ++i, ++count) {
            const auto row = static_cast<std::size_t>(id.get(*i));
            const auto at = grid->transform().indexToWorld(P.get(*i) + i.getCoord().asVec3d());
            // positions are relative to a voxel of 0.2 m, stored in floats
            for (int k = 0; k < 3; ++k)
                EXPECT_NEAR(at[k], static_cast<double>(x[row][k]), 0.2 * 1e-7);
            EXPECT_EQ(v.get(*i), openvdb::Vec3f(speed[row].x, speed[row].y, speed[row].z));
            EXPECT_EQ(Cd.get(*i), body[row] ? openvdb::Vec3f(0, 0, 1) : openvdb::Vec3f(1, 0, 0));
            EXPECT_EQ(r.get(*i), 0.05f);
        }
    }
    EXPECT_EQ(count, frame.count);
}

LevelSet sphere_level_set(double radius, double voxel) {
    LevelSet set;
    set.voxel = voxel;
    set.outside = static_cast<float>(4 * voxel);
    for (int i = -3; i < 3; ++i)
        for (int j = -3; j < 3; ++j)
            for (int k = -3; k < 3; ++k) {
                set.blocks.emplace_back();
                LevelSetBlock& b = set.blocks.back();
                b.origin = 8 * Vec3i{i, j, k};
                for (int n = 0; n < 512; ++n) {
                    const Vec3i at = b.origin + Vec3i{n / 64, n / 8 % 8, n % 8};
                    b.phi[static_cast<std::size_t>(n)] =
                        static_cast<float>(length(voxel * Vec3d(at)) - radius);
                }
            }
    return set;
}

TEST(VdbLevelSet, IsASignedDistanceThatOpenVdbReadsBack) {
    const ScratchFolder folder;
    const double radius = 0.3, voxel = 0.02;
    const std::string path = folder.path + "/surface.vdb";
    write_vdb_level_set(path, sphere_level_set(radius, voxel));
    const auto grid = openvdb::gridPtrCast<openvdb::FloatGrid>(read_grid(path, "surface"));
    EXPECT_EQ(grid->getGridClass(), openvdb::GRID_LEVEL_SET);
    EXPECT_NEAR(grid->background(), 3 * voxel, 1e-6);
    EXPECT_GT(grid->activeVoxelCount(), 1000u);
    double worst = 0;
    for (auto v = grid->cbeginValueOn(); v; ++v) {
        const double d = grid->transform().indexToWorld(v.getCoord()).length() - radius;
        if (std::abs(d) < 1.5 * voxel) worst = std::max(worst, std::abs(double(*v) - d));
    }
    // OpenVDB rebuilds the distance from facets of one voxel
    EXPECT_LT(worst, 0.1 * voxel);
    EXPECT_LT(grid->tree().getValue(openvdb::Coord(0, 0, 0)), 0);
}

TEST(VdbLevelSet, HasTheVelocityBesideItWhereItIsGiven) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/surface.vdb";
    write_vdb_level_set(path, sphere_level_set(0.3, 0.02), [](const std::vector<Vec3f>& points) {
        std::vector<Vec3f> out;
        for (const Vec3f& x : points) out.push_back({x.y, 2 * x.x, 1});
        return out;
    });
    const auto surface = openvdb::gridPtrCast<openvdb::FloatGrid>(read_grid(path, "surface"));
    const auto vel = openvdb::gridPtrCast<openvdb::Vec3SGrid>(read_grid(path, "vel"));
    EXPECT_EQ(vel->activeVoxelCount(), surface->activeVoxelCount());
    for (auto v = vel->cbeginValueOn(); v; ++v) {
        const openvdb::Vec3d x = vel->transform().indexToWorld(v.getCoord());
        ASSERT_NEAR((*v).x(), x.y(), 1e-6);
        ASSERT_NEAR((*v).y(), 2 * x.x(), 1e-6);
        ASSERT_EQ((*v).z(), 1);
    }
}

TEST(VdbFiles, HaveTheSameBytesForAnyThreadCount) {
    const ScratchFolder folder;
    const Frame frame = ball_frame(0.5, 0.05, 0.4);
    std::string points[2], surface[2];
    for (int run = 0; run < 2; ++run) {
        set_thread_count(run == 0 ? 1 : 3);
        const std::string path = folder.path + "/f.vdb";
        write_vdb_points(path, frame, {});
        points[run] = read_bytes(path);
        write_vdb_level_set(path, sphere_level_set(0.3, 0.02));
        surface[run] = read_bytes(path);
    }
    set_thread_count(0);
    EXPECT_EQ(points[0], points[1]);
    EXPECT_EQ(surface[0], surface[1]);
    EXPECT_GT(points[0].size(), 16 * frame.count);
}

TEST(VdbFiles, AMissingFolderIsARunError) {
    EXPECT_THROW(write_vdb_points("/nowhere/at/all/f.vdb", ball_frame(0.5, 0.2), {}), RunError);
}

}  // namespace
}  // namespace knead
