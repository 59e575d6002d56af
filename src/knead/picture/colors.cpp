#include "knead/picture/colors.h"

#include "knead/io/color.h"

namespace knead {

namespace {

constexpr Vec3f unknown_body{0.8f, 0.6f, 0.4f};

}  // namespace

Vec3f linear_color(const Vec3f& as_shown) {
    return {linear_of_srgb(as_shown.x), linear_of_srgb(as_shown.y), linear_of_srgb(as_shown.z)};
}

std::vector<Vec3f> body_colors(const std::optional<Scene>& scene) {
    std::vector<Vec3f> colors;
    if (scene)
        for (const BodySpec& body : scene->bodies)
            colors.push_back(linear_color(body.color.value_or(unknown_body)));
    return colors;
}

Vec3f picture_color(const std::vector<Vec3f>& colors, std::int32_t body) {
    const auto b = static_cast<std::size_t>(body);
    return b < colors.size() ? colors[b] : linear_color(unknown_body);
}

void color_by_body(SurfaceMesh& mesh, const std::vector<Vec3f>& colors) {
    if (!mesh.colors.empty()) return;
    for (const std::int32_t body : mesh.body) mesh.colors.push_back(picture_color(colors, body));
}

}  // namespace knead
