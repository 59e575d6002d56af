#include "knead/picture/thin_pictures.h"

#include <gtest/gtest.h>

#include <map>

#include "knead/picture/survey.h"
#include "picture/thin_frames.h"

namespace knead::test {
namespace {

const std::vector<Vec3f> white(8, Vec3f{1, 1, 1});

TEST(ThinPictures, ClothIsAClosedShellAsThickAsItIs) {
    const render::Mesh mesh = cloth_of(thin_frame(), white);
    // two layers of two triangles, and two for each of the four sides of the rim
    EXPECT_EQ(mesh.faces.size(), 4u + 8u);
    double volume = 0;  // divergence theorem
    for (const auto& f : mesh.faces) {
        const auto at = [&](std::int32_t v) {
            return Vec3d(mesh.positions[static_cast<std::size_t>(v)]);
        };
        volume += dot(at(f.x), cross(at(f.y), at(f.z))) / 6;
    }
    EXPECT_NEAR(volume, 1 * 1 * 0.2, 1e-6);
}

TEST(ThinPictures, TheBackOfClothIsDarker) {
    const render::Mesh mesh = cloth_of(thin_frame(), white);
    for (std::size_t i = 0; i < 8; ++i) {
        const bool front = mesh.normals[i].y > 0;
        EXPECT_NEAR(std::abs(mesh.normals[i].y), 1, 1e-6);
        EXPECT_EQ(mesh.positions[i].y > 0, front);
        EXPECT_FLOAT_EQ(mesh.colors[i].x, front ? 1.0f : 0.8f);
    }
}

TEST(ThinPictures, TubesRunOnThroughInnerVerticesAndStraightAtEnds) {
    const render::Tubes tubes = tubes_of(thin_frame(), white);
    ASSERT_EQ(tubes.points.size(), 8u);
    EXPECT_EQ(tubes.points[0], (Vec3f{-1, 0.5f, 0}));  // straight on
    EXPECT_EQ(tubes.points[1], (Vec3f{0, 1, 0}));
    EXPECT_EQ(tubes.points[2], (Vec3f{1, 1.5f, 0}));
    EXPECT_EQ(tubes.points[3], (Vec3f{2, 1, 0}));  // the next vertex of the line
    EXPECT_EQ(tubes.points[4], (Vec3f{0, 1, 0}));
    EXPECT_EQ(tubes.radii[2], 0.05f);
}

TEST(ThinPictures, ColumnsOfElementsAreMeansAtTheirCorners) {
    EXPECT_EQ(values_of(thin_frame(), "r33"),
              (std::vector<float>{0.75f, 1, 0.75f, 0.5f, 0, 0, 0, 0}));
    EXPECT_EQ(values_of(thin_frame(), "slip"), (std::vector<float>{0, 0, 0, 0, 0, 1, 2, 0}));
}

TEST(ThinPictures, VolumesAreWhatNothingJoins) {
    const Frame volumes = volumes_of(thin_frame());
    EXPECT_EQ(volumes.count, 1u);
    EXPECT_FALSE(volumes.has_elements());
    EXPECT_EQ(volumes.integers("body"), (std::vector<std::int32_t>{2}));
    EXPECT_EQ(volumes.positions()[0], (Vec3f{5, 5, 5}));
}

}  // namespace
}  // namespace knead::test
