// Meshes that particles carry along.
#include "knead/surface/carry_mesh.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knead/base/error.h"
#include "knead/math/mat.h"
#include "knead/surface/skin.h"
#include "surface/particle_shapes.h"

namespace knead {
namespace {

using Map = std::function<Vec3d(const Vec3d&)>;

// The frame with positions, and those in embedded space, taken from the first frame's.
Frame deformed(const Frame& first, const Map& world, const Map& embedded) {
    Frame frame = first;
    const std::vector<Vec3f> x = first.positions();
    std::vector<float> columns[6];
    for (const Vec3f& p : x) {
        const Vec3d w = world(static_cast<Vec3d>(p)), e = embedded(static_cast<Vec3d>(p));
        for (int k = 0; k < 3; ++k) {
            columns[k].push_back(static_cast<float>(w[k]));
            columns[3 + k].push_back(static_cast<float>(e[k]));
        }
    }
    const char* const names[6] = {"x", "y", "z", "e_x", "e_y", "e_z"};
    for (int k = 0; k < 6; ++k) {
        std::erase_if(frame.columns, [&](const FrameColumn& c) { return c.name == names[k]; });
        frame.columns.push_back({names[k], columns[k]});
    }
    return frame;
}

Vec3d same(const Vec3d& x) { return x; }

Frame ball() {
    return deformed(lattice_frame([](const Vec3d& x) { return length(x) < 0.5; }, 0.5, 0.1, 0.2),
                    same, same);
}

double largest_error(const SurfaceMesh& before, const SurfaceMesh& after, const Map& map) {
    double worst = 0;
    for (std::size_t v = 0; v < before.positions.size(); ++v)
        worst = std::max(worst, length(static_cast<Vec3d>(after.positions[v]) -
                                       map(static_cast<Vec3d>(before.positions[v]))));
    return worst;
}

const Mat3d stretch{1.4, 0.3, 0, -0.2, 0.9, 0.1, 0, 0.15, 0.8};
Vec3d affine(const Vec3d& x) { return stretch * x + Vec3d{0.3, -0.1, 0.7}; }

TEST(CarryMesh, AShiftedBodyShiftsItsMesh) {
    const Frame first = ball();
    const SurfaceMesh skin = skin_frame(first, {});
    const Map shift = [](const Vec3d& x) { return x + Vec3d{0.3, -0.2, 0.1}; };
    const SurfaceMesh moved = carry_mesh(skin, first, deformed(first, shift, same), 0.3);
    EXPECT_LE(largest_error(skin, moved, shift), 1e-6);
    EXPECT_EQ(moved.faces, skin.faces);
}

// Mean displacements of neighbours to one side lag behind: never by more than radius |G - 1|.
TEST(CarryMesh, DisplacementsFollowALinearMapWithinTheirRadius) {
    const Frame first = ball();
    const SurfaceMesh skin = skin_frame(first, {});
    const SurfaceMesh moved = carry_mesh(skin, first, deformed(first, affine, same), 0.3);
    EXPECT_LE(largest_error(skin, moved, affine), 0.3 * 0.5);
    EXPECT_GT(largest_error(skin, moved, affine), 0.02);
}

TEST(CarryMesh, EmbeddedSpaceFollowsALinearMapExactly) {
    const Frame first = ball();
    const SurfaceMesh skin = skin_frame(first, {});
    EmbeddedCarrier carrier(skin, first, 0.3);
    EXPECT_LE(largest_error(skin, carrier.next(deformed(first, affine, same)), affine), 1e-4);
    // Flow: embedded space is stretched as well.
    EXPECT_LE(largest_error(skin, carrier.next(deformed(first, affine, affine)), affine), 1e-4);
    EXPECT_LE(largest_error(skin, carrier.next(deformed(first, same, affine)), same), 1e-4);
}

TEST(CarryMesh, ParticlesThatComeAndGoDoNotMoveTheMesh) {
    const Frame first = ball();
    const SurfaceMesh skin = skin_frame(first, {});
    Frame thinned = deformed(first, affine, affine);
    // Every third particle merges away.
    std::vector<std::size_t> keep;
    for (std::size_t i = 0; i < thinned.count; ++i)
        if (i % 3 != 0) keep.push_back(i);
    for (FrameColumn& column : thinned.columns)
        std::visit(
            [&](auto& values) {
                auto kept = values;
                kept.clear();
                for (const std::size_t i : keep) kept.push_back(values[i]);
                values = kept;
            },
            column.values);
    thinned.count = keep.size();
    EmbeddedCarrier carrier(skin, first, 0.3);
    EXPECT_LE(largest_error(skin, carrier.next(thinned), affine), 1e-4);
    EXPECT_LE(largest_error(skin, carrier.next(thinned), affine), 1e-4);
}

TEST(CarryMesh, FramesWithoutEmbeddedSpaceAreRefused) {
    const Frame plain = lattice_frame([](const Vec3d& x) { return length(x) < 0.5; }, 0.5, 0.1);
    EXPECT_THROW(EmbeddedCarrier(skin_frame(plain, {}), plain, 0.3), InputError);
    EXPECT_THROW(in_embedded_space(plain), InputError);
}

TEST(CarryMesh, EmbeddedSpaceCanBeSkinnedInPlaceOfTheWorld) {
    const Frame frame = deformed(ball(), affine, same);
    EXPECT_EQ(in_embedded_space(frame).positions(), ball().positions());
}

}  // namespace
}  // namespace knead
