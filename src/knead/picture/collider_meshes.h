// The colliders of a run as meshes, where a frame says that they are.
#pragma once

#include <optional>
#include <vector>

#include "knead/geometry/collider.h"
#include "knead/io/frame.h"
#include "knead/io/surface_mesh.h"
#include "knead/scene/scene.h"

namespace knead {

struct ColliderMesh {
    Collider collider;
    Vec3f color;       // linear light
    SurfaceMesh rest;  // in the pose that the scene file describes
};

// A level plane that never moves: the ground of a picture. `near` is a point above it.
bool is_ground(const ColliderSpec& spec, const Collider& collider, const Vec3d& near);

// Where the ground of a picture lies, and its colour in linear light where the scene gives it one.
struct GroundPlane {
    double height = 0;  // [m]
    std::optional<Vec3f> color;
};
// The scene's own, where it has one.
std::optional<GroundPlane> ground_of(const Scene& scene, const Vec3d& near);

// Of every visible collider but the ground; what has no end is cut off at `around`.
std::vector<ColliderMesh> collider_meshes(const Scene& scene, const Box3& around);

// The mesh in the pose that the frame holds, or else its motion's at the frame's time.
SurfaceMesh mesh_at(const ColliderMesh& mesh, const Frame& frame);

}  // namespace knead
