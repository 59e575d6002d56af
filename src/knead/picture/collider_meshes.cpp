#include "knead/picture/collider_meshes.h"

#include <algorithm>

#include "knead/geometry/animated_mesh.h"
#include "knead/picture/colors.h"
#include "knead/scene/build_model.h"
#include "knead/surface/level_set_mesh.h"

namespace knead {

bool is_ground(const ColliderSpec& spec, const Collider& collider, const Vec3d& near) {
    return std::holds_alternative<PlaneSpec>(spec.shape.form) &&
           collider.shape.gradient(near).y > 0.999 && collider.motion.still();
}

std::optional<GroundPlane> ground_of(const Scene& scene, const Vec3d& near) {
    std::optional<GroundPlane> ground;
    const std::vector<Collider> all = build_colliders(scene);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const ColliderSpec& spec = scene.colliders[i];
        if (!spec.visible || !is_ground(spec, all[i], near)) continue;
        if (!ground) ground.emplace();
        ground->height = near.y - all[i].shape.distance(near);
        if (!(spec.color == ColliderSpec{}.color)) ground->color = linear_color(spec.color);
    }
    return ground;
}

std::vector<ColliderMesh> collider_meshes(const Scene& scene, const Box3& around) {
    std::vector<ColliderMesh> meshes;
    const std::vector<Collider> colliders = build_colliders(scene);
    for (std::size_t i = 0; i < colliders.size(); ++i) {
        const ColliderSpec& spec = scene.colliders[i];
        if (!spec.visible || is_ground(spec, colliders[i], around.center())) continue;
        if (colliders[i].animation) {  // made anew each time
            meshes.push_back({colliders[i], linear_color(spec.color), {}});
            meshes.back().rest.body = {static_cast<std::int32_t>(i)};
            continue;
        }
        const SdfShape& shape = colliders[i].shape;
        Box3 box = shape.bounds();
        if (!box.bounded()) box.clip(around);
        if (box.empty()) continue;
        const Vec3d size = box.size();
        const double voxel = std::max({size.x, size.y, size.z}) / 128;
        ColliderMesh m{colliders[i], linear_color(spec.color), {}};
        m.rest = mesh_distance([&](const Vec3d& x) { return shape.distance(x); },
                               box.grown(2 * voxel), voxel);
        m.rest.normals.clear();
        for (const Vec3f& x : m.rest.positions)
            m.rest.normals.push_back(Vec3f(shape.gradient(Vec3d(x))));
        m.rest.body.assign(m.rest.positions.size(), static_cast<std::int32_t>(i));
        m.rest.colors.assign(m.rest.positions.size(), m.color);
        meshes.push_back(std::move(m));
    }
    return meshes;
}

static SurfaceMesh animated_mesh(const ColliderMesh& mesh, double time) {
    const Mesh now = mesh.collider.animation->mesh(time);
    SurfaceMesh m;
    m.positions = now.positions;
    m.normals.assign(now.positions.size(), Vec3f{0, 0, 0});
    for (const Vec3i& t : now.triangles) {
        m.faces.push_back({t.x, t.y, t.z});
        const Vec3d n = cross(now.point(t.y) - now.point(t.x), now.point(t.z) - now.point(t.x));
        for (int k = 0; k < 3; ++k)
            m.normals[static_cast<std::size_t>(t[k])] += static_cast<Vec3f>(n);
    }
    for (Vec3f& n : m.normals) n = n / std::max(length(n), 1e-20f);
    m.body.assign(now.positions.size(), mesh.rest.body.front());
    m.colors.assign(now.positions.size(), mesh.color);
    return m;
}

SurfaceMesh mesh_at(const ColliderMesh& mesh, const Frame& frame) {
    const Motion& motion = mesh.collider.motion;
    const Pose* known = frame.pose_of(mesh.collider.name);
    const Pose pose = known ? *known : motion.pose(frame.time);
    SurfaceMesh m = mesh.collider.animation ? animated_mesh(mesh, frame.time) : mesh.rest;
    m.frame = frame.frame;
    m.time = frame.time;
    for (Vec3f& x : m.positions) x = Vec3f(from_rest(pose, motion.pivot, Vec3d(x)));
    for (Vec3f& n : m.normals) n = Vec3f(pose.rotation * Vec3d(n));
    return m;
}

}  // namespace knead
