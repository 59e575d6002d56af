// Shapes of a scene as plain data: primitives, meshes, and what is made of other shapes.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "knead/base/error.h"
#include "knead/math/vec.h"

namespace knead {

struct ShapeSpec;

// Primitives [m].
struct SphereSpec {
    Vec3d center{0, 0, 0};
    double radius = 0;
};
struct BoxSpec {
    Vec3d center{0, 0, 0};
    Vec3d size{0, 0, 0};
    double rounding = 0;
};
struct CylinderSpec {
    Vec3d from{0, 0, 0}, to{0, 0, 0};
    double radius = 0;
    double rounding = 0;
};
struct CapsuleSpec {
    Vec3d from{0, 0, 0}, to{0, 0, 0};
    double radius = 0;
};
struct ConeSpec {
    Vec3d from{0, 0, 0}, to{0, 0, 0};
    double radius_from = 0, radius_to = 0;
};
struct TorusSpec {
    Vec3d center{0, 0, 0};
    Vec3d axis{0, 1, 0};
    double major_radius = 0, minor_radius = 0;
};
struct PlaneSpec {
    Vec3d point{0, 0, 0};
    Vec3d normal{0, 1, 0};
};
struct EllipsoidSpec {
    Vec3d center{0, 0, 0};
    Vec3d radii{0, 0, 0};
};
// Drawn in the plane of x and y, extruded along z.
struct PolygonSpec {
    std::vector<Vec3d> points;  // z is 0
    double height = 0;
};
struct StarSpec {
    int points = 5;
    double outer_radius = 0, inner_radius = 0;
    double height = 0;
};
struct MeshSpec {
    std::string file;             // absolute once read from a file
    std::optional<double> size;   // longest side after scaling [m]
    std::optional<Vec3d> center;  // where the middle of its bounds goes [m]
    std::optional<double> voxel;  // of its distance field [m]; default: half a grid cell
    bool repair = false;          // close holes and settle self-crossings
};

// Operations.
struct UnionSpec {
    std::vector<ShapeSpec> of;
};
struct SmoothUnionSpec {
    double blend = 0;
    std::vector<ShapeSpec> of;
};
struct DifferenceSpec {
    std::vector<ShapeSpec> of;  // the first less all others
};
struct IntersectionSpec {
    std::vector<ShapeSpec> of;
};
struct ShellSpec {
    double thickness = 0;
    std::vector<ShapeSpec> of;  // one
};
struct OffsetSpec {
    double distance = 0;
    std::vector<ShapeSpec> of;  // one
};

using ShapeForm =
    std::variant<std::monostate, SphereSpec, BoxSpec, CylinderSpec, CapsuleSpec, ConeSpec,
                 TorusSpec, PlaneSpec, EllipsoidSpec, PolygonSpec, StarSpec, MeshSpec, UnionSpec,
                 SmoothUnionSpec, DifferenceSpec, IntersectionSpec, ShellSpec, OffsetSpec>;

// Scaled and turned about its pivot, then moved.
struct ShapeSpec {
    ShapeForm form;
    double scale = 1;
    Vec3d rotate{0, 0, 0};       // axis times angle [degrees]
    Vec3d translate{0, 0, 0};    // [m]
    std::optional<Vec3d> pivot;  // default: the middle of its bounds, the origin if it has none
};

}  // namespace knead
