#include "knead/render/render_frame.h"

#include <algorithm>
#include <cmath>

#include "knead/io/color.h"
#include "knead/parallel/exec.h"
#include "knead/render/legend.h"
#include "knead/render/shade.h"
#include "knead/render/tone.h"

namespace knead::render {

namespace {

// Rays through the pixels of a pinhole camera.
class Lens {
public:
    Lens(const Camera& camera, const Look& look) : from_(camera.position) {
        forward_ = normalized(camera.target - camera.position);
        Vec3d side = cross(forward_, camera.up);
        if (length(side) < 1e-6 * length(camera.up)) side = cross(forward_, Vec3d{0, 0, -1});
        right_ = normalized(side);
        up_ = cross(right_, forward_);
        const double half = std::tan(camera.field_of_view * 3.14159265358979323846 / 360);
        scale_ = 2 * half / look.height;
        center_ = {0.5 * look.width, 0.5 * look.height, 0};
    }
    Ray through(double x, double y) const {
        const Vec3d d =
            forward_ + (scale_ * (x - center_.x)) * right_ - (scale_ * (y - center_.y)) * up_;
        return {Vec3f(from_), Vec3f(normalized(d))};
    }

private:
    Vec3d from_, forward_, right_, up_, center_;
    double scale_;
};

// A tent of one and a half pixels' width softens edges without blurring.
double tent(float u) {
    const double r = u < 0.5f ? std::sqrt(2.0 * u) - 1 : 1 - std::sqrt(2.0 - 2.0 * u);
    return 0.75 * r;
}

// Darkens the corners slightly.
float vignette(const Look& look, int x, int y) {
    const double u = (2.0 * x + 1) / look.width - 1, v = (2.0 * y + 1) / look.height - 1;
    return static_cast<float>(1 - 0.07 * (u * u + v * v));
}

void write_pixel(const Vec3f& light, std::uint64_t noise_seed, std::uint8_t* rgb) {
    // half a step of noise hides the bands of eight bits in smooth backgrounds
    const float noise = static_cast<float>(random_unit(noise_seed, 77)) - 0.5f;
    for (int k = 0; k < 3; ++k) {
        const float value = 255 * srgb_of_linear(tone(light[k])) + noise;
        rgb[k] = static_cast<std::uint8_t>(std::clamp(value + 0.5f, 0.0f, 255.0f));
    }
}

// The mean over the pixel's samples; up to four times as many where they differ much.
Vec3f pixel_light(const Shader& shader, const Lens& lens, const Look& look, int x, int y) {
    const auto pixel = static_cast<std::uint64_t>(y) << 32 | static_cast<std::uint64_t>(x);
    Vec3f sum{0, 0, 0};
    float bright = 0, squares = 0, n = 0;
    for (int s = 0; s < 4 * look.samples; ++s) {
        const PixelSamples samples{look.seed, pixel, static_cast<std::uint64_t>(s)};
        const Square q = samples.at(0);
        const Ray ray = lens.through(x + 0.5 + tent(q.u), y + 0.5 + tent(q.v));
        // a single very bright sample must not leave a speck
        const Vec3f light = min(splat(8.0f), shader.light_along(ray, samples));
        const float b = knead::sum(light) / 3;
        sum += light, bright += b, squares += b * b, n += 1;
        if (s + 1 >= look.samples && (s + 1) % 8 == 0) {
            const float mean = bright / n, variance = std::max(0.0f, squares / n - mean * mean);
            const float enough = 0.03f * (mean + 0.05f);  // standard error that no eye sees
            if (variance <= n * enough * enough) break;
        }
    }
    return sum / n;
}

}  // namespace

Image render_frame(const Scene& scene) {
    const Look& look = scene.look;
    const RayScene rays(scene);
    const Studio studio(scene.camera, look);
    const Shader shader(scene, rays, studio);
    const Lens lens(scene.camera, look);
    Image image(look.width, look.height);
    for_each(static_cast<std::size_t>(look.height), 1, [&](std::size_t row) {
        const int y = static_cast<int>(row);
        for (int x = 0; x < look.width; ++x) {
            const Vec3f light = vignette(look, x, y) * pixel_light(shader, lens, look, x, y);
            const auto at = static_cast<std::uint64_t>(y * look.width + x);
            write_pixel(light, random_bits(look.seed, at), image.pixel(x, y));
        }
    });
    if (scene.legend) draw_legend(image, *scene.legend);
    return image;
}

}  // namespace knead::render
