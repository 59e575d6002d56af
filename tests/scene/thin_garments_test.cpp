// Garments and hair from files, as someone else's program would write them, dropped on a body.
#include <filesystem>
#include <fstream>
#include <numbers>

#include "scene/thin_scene.h"

namespace knead::test {
namespace {

constexpr double turn = 2 * std::numbers::pi;

// An open skirt: a cone without caps, in quads, with texture coordinates.
void write_skirt(const std::string& path) {
    std::ofstream out(path);
    const int rings = 20, sectors = 40;
    for (int j = 0; j <= rings; ++j)
        for (int i = 0; i < sectors; ++i) {
            const double r = 0.12 + 0.13 * j / rings, a = turn * i / sectors;
            out << "v " << r * std::cos(a) << ' ' << 0.45 - 0.35 * j / rings << ' '
                << r * std::sin(a) << "\nvt " << double(i) / sectors << ' ' << double(j) / rings
                << '\n';
        }
    for (int j = 0; j < rings; ++j)
        for (int i = 0; i < sectors; ++i) {
            const int a = j * sectors + i + 1, b = j * sectors + (i + 1) % sectors + 1;
            out << "f " << a << '/' << a << ' ' << b << '/' << b << ' ' << b + sectors << '/'
                << b + sectors << ' ' << a + sectors << '/' << a + sectors << '\n';
        }
}

// Curls on a head: helices from points of a half ball outwards.
void write_hair(const std::string& path) {
    std::ofstream out(path);
    const int strands = 24, points = 30;
    for (int s = 0; s < strands; ++s) {
        const double a = turn * s * 0.381966, h = 0.3 + 0.6 * s / strands;
        const double r = 0.1 * std::sqrt(1 - h * h);
        for (int k = 0; k < points; ++k) {
            const double away = 1 + 0.08 * k, c = turn * k / 10;
            out << "v " << r * away * std::cos(a) + 0.006 * std::cos(c) << ' '
                << 0.6 + 0.1 * h * away + 0.006 * std::sin(c) << ' ' << r * away * std::sin(a)
                << '\n';
        }
    }
    for (int s = 0; s < strands; ++s) {
        out << 'l';
        for (int k = 1; k <= points; ++k) out << ' ' << s * points + k;
        out << '\n';
    }
}

TEST(ThinGarments, SkirtAndCurlsFromFilesDropOnAFigure) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / "knead-thin-garments";
    std::filesystem::create_directories(folder);
    write_skirt((folder / "skirt.obj").string());
    write_hair((folder / "hair.obj").string());
    Thin<float> it(scene(
        "0.02", "[[bodies]]\nname = \"skirt\"\nmaterial = \"cotton\"\nthin = {mesh = {file = \"" +
                    (folder / "skirt.obj").string() +
                    "\"}}\n[[bodies]]\nname = \"hair\"\nmaterial = \"curly-hair\"\nthin = "
                    "{curves = {file = \"" +
                    (folder / "hair.obj").string() +
                    "\"}}\n[[grips]]\nbody = \"hair\"\ngroup = \"roots\"\n[[colliders]]\nshape "
                    "= {union = [{sphere = {center = [0, 0.6, 0], radius = 0.1}}, {capsule = "
                    "{from = [0, 0, 0], to = [0, 0.42, 0], radius = 0.13}}]}\nfriction = 0.3\n"));
    ASSERT_TRUE(it.run(0.1, 1e-3));
    EXPECT_EQ(it.extra("inverted"), 0);
    EXPECT_LT(it.extra("max_edge_stretch"), 1.2);
    std::size_t triangles = 0, segments = 0;
    for (const auto& phase : it.state().phases) {
        if (phase.kind != PhaseKind::elements) continue;
        (phase.elements.corners == 3 ? triangles : segments) += phase.particles.size();
        EXPECT_EQ(phase.elements.has_uv(), phase.elements.corners == 3);
    }
    EXPECT_EQ(triangles, 2u * 20 * 40);
    EXPECT_EQ(segments, 24u * 29);
    EXPECT_EQ(it.built.model.bending.size(), 2u);  // both presets resist bending
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace knead::test
