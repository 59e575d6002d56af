// The colours of a scene's bodies, in linear light (files say them as screens show them).
#pragma once

#include <optional>
#include <vector>

#include "knead/io/surface_mesh.h"
#include "knead/scene/scene.h"

namespace knead {

Vec3f linear_color(const Vec3f& as_shown);
// By body; empty where there is no scene.
std::vector<Vec3f> body_colors(const std::optional<Scene>& scene);
// Of a body that may not be in the list.
Vec3f picture_color(const std::vector<Vec3f>& colors, std::int32_t body);
// Gives every vertex the colour of its body, where the mesh has no colours yet.
void color_by_body(SurfaceMesh& mesh, const std::vector<Vec3f>& colors);

}  // namespace knead
