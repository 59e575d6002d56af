#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "knead/base/error.h"
#include "knead/render/scene.h"

namespace knead::render {

namespace {

constexpr float farthest = 1e9f;  // [m]

template <class T>
bool in_reach(T a) {
    return std::fabs(a) <= static_cast<T>(farthest);  // false also for what is no number
}

void require(const std::vector<Vec3f>& points, const char* what) {
    for (std::size_t i = 0; i < points.size(); ++i)
        if (!in_reach(points[i].x) || !in_reach(points[i].y) || !in_reach(points[i].z))
            throw InputError({},
                             fmt::format("{} {} is nowhere: ({}, {}, {})", what, i, points[i].x,
                                         points[i].y, points[i].z),
                             "pictures show what is within 1e9 m");
}

}  // namespace

void require_in_reach(const Camera& camera) {
    for (const auto& [what, at] :
         {std::pair("position", camera.position), {"target", camera.target}})
        if (!in_reach(at.x) || !in_reach(at.y) || !in_reach(at.z))
            throw InputError(
                {}, fmt::format("the camera's {} is nowhere: ({}, {}, {})", what, at.x, at.y, at.z),
                "pictures show what is within 1e9 m");
}

void require_in_reach(const Scene& scene) {
    for (const Mesh& mesh : scene.meshes) require(mesh.positions, "vertex");
    for (const Tubes& t : scene.tubes) require(t.points, "control point");
    for (const Spheres& s : scene.spheres) {
        require(s.centers, "particle");
        for (std::size_t i = 0; i < s.radii.size(); ++i)
            if (!in_reach(s.radii[i]) || s.radii[i] < 0)
                throw InputError({}, fmt::format("particle {} has pscale {}", i, s.radii[i]),
                                 "pscale is a radius in metres");
    }
    require_in_reach(scene.camera);
}

}  // namespace knead::render
