#include "knead/render/render_frame.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knead/io/color.h"
#include "knead/parallel/exec.h"
#include "knead/render/color_map.h"
#include "knead/render/legend.h"
#include "knead/render/text.h"
#include "knead/render/tone.h"

namespace knead::render {
namespace {

// A red ball of radius 1 at the origin, seen from z = 10 through a lens of 20 degrees.
Scene ball_scene() {
    Scene scene;
    scene.look.width = 120;
    scene.look.height = 80;
    scene.look.samples = 4;
    scene.camera.position = {0, 0, 10};
    scene.camera.target = {0, 0, 0};
    scene.camera.field_of_view = 20;
    Spheres ball;
    ball.centers = {{0, 0, 0}};
    ball.radii = {1};
    ball.colors = {{0.7f, 0.05f, 0.05f}};
    scene.spheres.push_back(ball);
    return scene;
}

bool is_red(const Image& image, int x, int y) {
    const std::uint8_t* p = image.pixel(x, y);
    return p[0] > 1.1 * p[2];
}

TEST(Render, ABallStandsWhereTheCameraSeesIt) {
    const Image image = render_frame(ball_scene());
    // silhouette: sin(angle) = 1 / 10, so tan = 0.1005; 40 pixels are tan(10 degrees) = 0.1763
    const double radius = 40 * std::tan(std::asin(0.1)) / std::tan(10 * M_PI / 180);
    int red = 0;
    for (int y = 0; y < 80; ++y)
        for (int x = 0; x < 120; ++x) {
            const double r = std::hypot(x + 0.5 - 60, y + 0.5 - 40);
            if (r < radius - 1.5) {
                EXPECT_TRUE(is_red(image, x, y)) << x << " " << y;
            }
            if (r > radius + 1.5) {
                EXPECT_FALSE(is_red(image, x, y)) << x << " " << y;
            }
            red += is_red(image, x, y);
        }
    EXPECT_NEAR(red, M_PI * radius * radius, 2 * M_PI * radius);
}

// Straight along x from -1 to 1, 0.3 thick to each side.
TEST(Render, ATubeStandsWhereTheCameraSeesIt) {
    Scene scene = ball_scene();
    scene.spheres.clear();
    Tubes tube;
    tube.points = {{-3, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {3, 0, 0}};
    tube.radii = {0.3f, 0.3f, 0.3f, 0.3f};
    tube.colors = {{0.7f, 0.05f, 0.05f}, {0.7f, 0.05f, 0.05f}};
    scene.tubes.push_back(tube);
    const Image image = render_frame(scene);
    const double unit = 40 / (10 * std::tan(10 * M_PI / 180));  // pixels a metre, at the origin
    for (const double x : {-0.8, 0.0, 0.8}) {
        const int column = static_cast<int>(60 + unit * x);
        EXPECT_TRUE(is_red(image, column, static_cast<int>(40 + unit * 0.2)));
        EXPECT_TRUE(is_red(image, column, static_cast<int>(40 - unit * 0.2)));
        EXPECT_FALSE(is_red(image, column, static_cast<int>(40 + unit * 0.45)));
    }
    EXPECT_FALSE(is_red(image, static_cast<int>(60 + unit * 1.5), 40));
}

// A hair of some thousandths of a pixel, through the middle of a row: that row is darker.
TEST(Render, AHairIsSeen) {
    Scene scene = ball_scene();
    scene.spheres.clear();
    Tubes hair;
    const float middle = static_cast<float>(0.5 * 10 * std::tan(10 * M_PI / 180) / 40);
    hair.points = {{-3, middle, 0}, {-1, middle, 0}, {1, middle, 0}, {3, middle, 0}};
    hair.radii = {1e-4f, 1e-4f, 1e-4f, 1e-4f};
    hair.colors = {{0.02f, 0.02f, 0.02f}, {0.02f, 0.02f, 0.02f}};
    scene.tubes.push_back(hair);
    const Image image = render_frame(scene);
    EXPECT_LT(image.pixel(60, 39)[0], image.pixel(60, 20)[0] - 20);  // found 30
}

TEST(Render, TheBackgroundHasTheColourAskedFor) {
    Scene scene = ball_scene();
    scene.look.background = {0.25f, 0.5f, 0.75f};
    const Image image = render_frame(scene);
    // beside the ball, where the corners' darkening is below one part in a hundred
    const std::uint8_t* p = image.pixel(60, 10);
    for (int k = 0; k < 3; ++k)
        EXPECT_NEAR(p[k], 255 * srgb_of_linear(scene.look.background[k]), 8);
}

TEST(Render, TheSideTowardsTheLampIsBrighter) {
    const Image image = render_frame(ball_scene());
    // the lamp is above and to the left of the camera
    EXPECT_GT(image.pixel(52, 30)[0], image.pixel(68, 52)[0] + 20);
}

TEST(Render, TheGroundTakesAShadow) {
    Scene scene = ball_scene();
    scene.camera.position = {0, 6, 10};
    const Image bare = render_frame(scene);
    scene.ground = Ground{-1, 30, {0, 0, 0}, {}};
    const Image with = render_frame(scene);
    int darker = 0;
    for (int y = 0; y < 80; ++y)
        for (int x = 0; x < 120; ++x) darker += with.pixel(x, y)[1] + 25 < bare.pixel(x, y)[1];
    EXPECT_GT(darker, 100);
    EXPECT_NEAR(with.pixel(5, 75)[1], bare.pixel(5, 75)[1], 6);  // open floor
}

TEST(Render, IsTheSameForAnyThreadCount) {
    Scene scene = ball_scene();
    // a few hundred triangles as well: a wavy sheet
    Mesh mesh;
    for (int i = 0; i <= 20; ++i)
        for (int j = 0; j <= 20; ++j) {
            mesh.positions.push_back(
                {0.2f * float(i) - 2, 0.3f * std::sin(0.9f * float(i)) - 1, 0.2f * float(j) - 2});
            mesh.normals.push_back({0, 1, 0});
            mesh.colors.push_back({0.2f, 0.5f, 0.4f});
        }
    for (int i = 0; i < 20; ++i)
        for (int j = 0; j < 20; ++j) {
            const int a = 21 * i + j;
            mesh.faces.push_back({a, a + 1, a + 21});
            mesh.faces.push_back({a + 1, a + 22, a + 21});
        }
    scene.meshes.push_back(mesh);
    scene.ground = Ground{-1.5, 30, {0, 0, 0}, {}};
    scene.camera.position = {3, 4, 9};
    set_thread_count(1);
    const Image one = render_frame(scene);
    set_thread_count(3);
    const Image three = render_frame(scene);
    set_thread_count(0);
    EXPECT_EQ(one.rgb, three.rgb);
}

TEST(Render, AnEmptySceneIsBackground) {
    Scene scene = ball_scene();
    scene.spheres.clear();
    const Image image = render_frame(scene);
    for (int y = 0; y < 80; ++y)
        for (int x = 0; x < 120; ++x) EXPECT_FALSE(is_red(image, x, y));
}

TEST(FrameBoxes, MatterThatFallsAndThenSpreadsFillsThePictureBetterThanOneBoxAroundBoth) {
    const Look look;
    const Box3 high{{-0.1, 1.8, -0.1}, {0.1, 2, 0.1}}, wide{{-1, 0, -1}, {1, 0.1, 1}};
    Box3 both = high;
    both.add(wide.lo), both.add(wide.hi);
    const auto distance = [](const Camera& c) { return length(c.position - c.target); };
    EXPECT_LT(distance(frame_boxes({high, wide}, look)),
              0.97 * distance(frame_boxes({both}, look)));
}

TEST(FrameBox, EveryCornerIsInThePicture) {
    Look look;
    look.width = 320;
    look.height = 240;
    const Box3 box{{-1, 0, -3}, {2, 5, 0.5}};
    const Camera c = frame_boxes({box}, look);
    const Vec3d forward = normalized(c.target - c.position);
    const Vec3d right = normalized(cross(forward, Vec3d{0, 1, 0})), up = cross(right, forward);
    const double tall = std::tan(c.field_of_view * M_PI / 360), wide = tall * 320 / 240;
    double fullest = 0;
    for (int k = 0; k < 8; ++k) {
        const Vec3d p{k & 1 ? box.hi.x : box.lo.x, k & 2 ? box.hi.y : box.lo.y,
                      k & 4 ? box.hi.z : box.lo.z};
        const Vec3d d = p - c.position;
        const double x = std::abs(dot(d, right)) / (wide * dot(d, forward));
        const double y = std::abs(dot(d, up)) / (tall * dot(d, forward));
        fullest = std::max({fullest, x, y});
    }
    EXPECT_LT(fullest, 0.95);  // a margin is left
    EXPECT_GT(fullest, 0.7);   // and the room is used
}

TEST(ColorMap, GrowsLighterEvenlyFromEndToEnd) {
    double last = -1;
    for (int i = 0; i <= 50; ++i) {
        const Vec3f c = map_color(i / 50.0);
        const double y = 0.2126 * double(c.x) + 0.7152 * double(c.y) + 0.0722 * double(c.z);
        const double lightness = 116 * std::cbrt(y) - 16;
        EXPECT_GT(lightness, last);
        if (i > 0) {
            EXPECT_LT(lightness - last, 4.0);  // 74 units in 50 steps, and clipping
        }
        last = lightness;
    }
    EXPECT_EQ(map_color(-3), map_color(0));
    EXPECT_EQ(map_color(7), map_color(1));
}

TEST(Tone, InverseUndoesTheCurve) {
    for (float y = 0.02f; y < 0.97f; y += 0.05f) EXPECT_NEAR(tone(untone(y)), y, 1e-5);
}

TEST(Legend, TicksAreRoundNumbersWithinTheRange) {
    EXPECT_EQ(tick_values(0, 1, 4), (std::vector<double>{0, 0.5, 1}));
    EXPECT_EQ(tick_values(-30, 110, 4), (std::vector<double>{0, 50, 100}));
    EXPECT_EQ(tick_values(2, 2, 4), (std::vector<double>{2}));
}

TEST(Legend, DrawsTheBarWithItsHighEndOnTop) {
    Image image(200, 200);
    std::fill(image.rgb.begin(), image.rgb.end(), 255);
    draw_legend(image, {"speed", 0, 1});
    const Vec3f high = map_color(0.99), low = map_color(0.01);
    int top = -1, bottom = -1;
    for (int y = 0; y < 200; ++y)
        if (std::abs(image.pixel(15, y)[2] - image.pixel(15, y)[0]) > 30) {
            if (top < 0) top = y;
            bottom = y;
        }
    ASSERT_GT(bottom - top, 70);
    for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(image.pixel(15, top)[k], srgb_byte(high[k]), 12);
        EXPECT_NEAR(image.pixel(15, bottom)[k], srgb_byte(low[k]), 12);
    }
}

TEST(Text, EveryGlyphLeavesInkWithinItsPlaceAndDiffersFromTheOthers) {
    std::vector<std::string> letters{"%", "°", "²", "µ", "α", "·", "é", "€"};
    for (const char c :
         std::string("0123456789abcdefghjkmnopqrstuvwxyzABCDEFGHJKLMNOPQRSTUVWXYZ.-+_/=:"))
        letters.emplace_back(1, c);
    std::vector<std::vector<std::uint8_t>> seen;
    for (const std::string& c : letters) {
        Image image(60, 60);
        draw_text(image, c, 8, 8, 24, {1, 1, 1});
        int ink = 0;
        for (int y = 0; y < 60; ++y)
            for (int x = 0; x < 60; ++x) {
                ink += image.pixel(x, y)[0] > 128;
                if (x < 5 || y < 1 || x > 8 + text_width(c, 24) + 3 || y > 50) {
                    EXPECT_EQ(image.pixel(x, y)[0], 0) << c;
                }
            }
        EXPECT_GT(ink, 4) << c;
        for (const auto& other : seen) EXPECT_NE(other, image.rgb) << c;
        seen.push_back(image.rgb);
    }
}

TEST(Text, CapitalsAreAsTallAsAskedAndBrokenBytesStandAsOneMark) {
    Image image(80, 80);
    draw_text(image, "H", 10, 10, 40, {1, 1, 1});
    int top = 80, bottom = 0;
    for (int y = 0; y < 80; ++y)
        for (int x = 0; x < 80; ++x)
            if (image.pixel(x, y)[0] > 128) top = std::min(top, y), bottom = std::max(bottom, y);
    EXPECT_NEAR(top, 10, 1);
    EXPECT_NEAR(bottom, 49, 1);
    EXPECT_GT(text_width("°C", 10), text_width("C", 10));
    EXPECT_DOUBLE_EQ(text_width("\xb0", 10), text_width("\xef\xbf\xbd", 10));
    EXPECT_DOUBLE_EQ(text_width("", 10), 0);
}

}  // namespace
}  // namespace knead::render
