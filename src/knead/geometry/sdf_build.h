// Makes shapes: primitives, set operations, transforms. Lengths in metres, angles in radians.
// Distances are exact for the primitives and their transforms; set operations keep the sign right
// and never overestimate the distance from outside. Sizes that make no sense throw InputError.
#pragma once

#include <array>
#include <vector>

#include "knead/geometry/sdf_grid.h"
#include "knead/geometry/sdf_shape.h"

namespace knead::sdf {

using Corner2 = std::array<double, 2>;

SdfShape sphere(const Vec3d& center, double radius);
// Rounded edges stay within half_size.
SdfShape box(const Vec3d& center, const Vec3d& half_size, double rounding = 0);
SdfShape cylinder(const Vec3d& a, const Vec3d& b, double radius, double rounding = 0);
SdfShape capsule(const Vec3d& a, const Vec3d& b, double radius);
SdfShape cone(const Vec3d& a, const Vec3d& b, double radius_a, double radius_b);
SdfShape torus(const Vec3d& center, const Vec3d& axis, double major, double minor);
SdfShape plane(const Vec3d& point, const Vec3d& normal);  // inside is behind the normal
SdfShape ellipsoid(const Vec3d& center, const Vec3d& radii);
// A simple polygon in x and y, either way round, concave or not, from z = -half_height to
// half_height.
SdfShape extruded_polygon(const std::vector<Corner2>& corners, double half_height);
SdfShape star(int points, double outer, double inner, double half_height);
// A sampled distance. The shape must lie inside the grid's box.
SdfShape grid(std::shared_ptr<const SdfGrid> grid);

SdfShape unite(const std::vector<SdfShape>& parts);
// Rounds the seams over a width of blend_radius; parts are blended in order.
SdfShape smooth_unite(const std::vector<SdfShape>& parts, double blend_radius);
SdfShape subtract(const SdfShape& from, const SdfShape& what);
SdfShape intersect(const std::vector<SdfShape>& parts);
SdfShape shell(const SdfShape& shape, double thickness);  // half of it on either side
SdfShape offset(const SdfShape& shape, double distance);  // outwards; negative shrinks

SdfShape translated(const SdfShape& shape, const Vec3d& by);
SdfShape rotated(const SdfShape& shape, const Vec3d& axis_angle);  // about the origin
SdfShape scaled(const SdfShape& shape, double factor);             // about the origin

}  // namespace knead::sdf
