#include "knead/geometry/sdf_build.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "knead/base/error.h"
#include "knead/geometry/polygon2.h"
#include "knead/geometry/polygon_edges.h"
#include "knead/geometry/rotation.h"
#include "knead/geometry/sdf_writer.h"

namespace knead::sdf {

namespace {

// From a to b: unit axis and length.
struct Axis {
    Vec3d direction;
    double length;
};

Axis axis_between(const std::string& what, const Vec3d& a, const Vec3d& b) {
    require_finite(what + " end", a);
    require_finite(what + " end", b);
    const double n = length(b - a);
    if (!(n > 0))
        throw InputError(Place{}, "the two ends of the " + what + " are the same point",
                         "move one of them");
    return {(b - a) / n, n};
}

Vec3d unit(const std::string& what, const Vec3d& v) {
    require_finite(what, v);
    if (!(length(v) > 0)) throw InputError(Place{}, what + " is zero", "give it a direction");
    return normalized(v);
}

// Of a disc with the given unit normal.
Box3 disc_box(const Vec3d& center, const Vec3d& normal, double radius) {
    Vec3d reach;
    for (int i = 0; i < 3; ++i) reach[i] = radius * std::sqrt(max(0., 1 - normal[i] * normal[i]));
    return {center - reach, center + reach};
}

Box3 turned_box(const Vec3d& a, const Vec3d& b, const Vec3d& axis, double ra, double rb) {
    Box3 box = disc_box(a, axis, ra);
    box.add(disc_box(b, axis, rb));
    return box;
}

std::vector<SdfShape> without_empty(const std::vector<SdfShape>& parts) {
    std::vector<SdfShape> result;
    for (const SdfShape& part : parts)
        if (!part.empty()) result.push_back(part);
    return result;
}

// The union of the parts' boxes, each taken at a raised level.
LevelBox box_around(const std::vector<SdfShape>& parts, double raise) {
    return [parts, raise](double level) {
        Box3 box;
        for (const SdfShape& part : parts) {
            const Box3 one = part.program()->level_box(level + raise);
            if (!one.empty()) box.add(one);
        }
        return box;
    };
}

}  // namespace

SdfShape sphere(const Vec3d& center, double radius) {
    require_finite("the sphere's center", center);
    require_above_zero("the sphere's radius", radius);
    return write_primitive(SdfCode::sphere, Numbers{}.add(center).add(radius),
                           Box3{center, center}.grown(radius));
}

SdfShape box(const Vec3d& center, const Vec3d& half_size, double rounding) {
    require_finite("the box's center", center);
    for (int i = 0; i < 3; ++i) require_above_zero("the box's half size", half_size[i]);
    require_not_below_zero("the box's rounding", rounding);
    const double most = min(half_size.x, min(half_size.y, half_size.z));
    if (rounding > most)
        throw InputError(Place{}, fmt::format("the box's rounding is {}", rounding),
                         fmt::format("give at most its smallest half size, {}", most));
    return write_primitive(SdfCode::box,
                           Numbers{}.add(center).add(half_size - splat(rounding)).add(rounding),
                           {center - half_size, center + half_size});
}

SdfShape cylinder(const Vec3d& a, const Vec3d& b, double radius, double rounding) {
    const Axis axis = axis_between("cylinder", a, b);
    require_above_zero("the cylinder's radius", radius);
    require_not_below_zero("the cylinder's rounding", rounding);
    const double half = 0.5 * axis.length, most = min(radius, half);
    if (rounding > most)
        throw InputError(Place{}, fmt::format("the cylinder's rounding is {}", rounding),
                         fmt::format("give at most {}, its radius or half its length", most));
    Numbers n;
    n.add(0.5 * (a + b)).add(axis.direction);
    n.add(radius - rounding).add(half - rounding).add(rounding);
    return write_primitive(SdfCode::cylinder, n, turned_box(a, b, axis.direction, radius, radius));
}

SdfShape capsule(const Vec3d& a, const Vec3d& b, double radius) {
    require_above_zero("the capsule's radius", radius);
    if (a == b) return sphere(a, radius);
    const Axis axis = axis_between("capsule", a, b);
    Box3 box{a, a};
    box.add(b);
    return write_primitive(
        SdfCode::capsule,
        Numbers{}.add(0.5 * (a + b)).add(axis.direction).add(0.5 * axis.length).add(radius),
        box.grown(radius));
}

SdfShape cone(const Vec3d& a, const Vec3d& b, double radius_a, double radius_b) {
    const Axis axis = axis_between("cone", a, b);
    require_not_below_zero("the cone's first radius", radius_a);
    require_not_below_zero("the cone's second radius", radius_b);
    require_above_zero("the cone's larger radius", max(radius_a, radius_b));
    Numbers n;
    n.add(a).add(axis.direction).add(axis.length).add(radius_a).add(radius_b);
    return write_primitive(SdfCode::cone, n, turned_box(a, b, axis.direction, radius_a, radius_b));
}

SdfShape torus(const Vec3d& center, const Vec3d& axis, double major, double minor) {
    require_finite("the torus's center", center);
    require_above_zero("the torus's major radius", major);
    require_above_zero("the torus's minor radius", minor);
    const Vec3d u = unit("the torus's axis", axis);
    return write_primitive(SdfCode::torus, Numbers{}.add(center).add(u).add(major).add(minor),
                           disc_box(center, u, major).grown(minor));
}

SdfShape plane(const Vec3d& point, const Vec3d& normal) {
    require_finite("the plane's point", point);
    const Vec3d n = unit("the plane's normal", normal);
    Box3 box = Box3::everything();
    for (int i = 0; i < 3; ++i) {
        if (n[i] == 1) box.hi[i] = point[i];
        if (n[i] == -1) box.lo[i] = point[i];
    }
    return write_primitive(SdfCode::plane, Numbers{}.add(n).add(dot(n, point)), box);
}

SdfShape ellipsoid(const Vec3d& center, const Vec3d& radii) {
    require_finite("the ellipsoid's center", center);
    for (int i = 0; i < 3; ++i) require_above_zero("the ellipsoid's radius", radii[i]);
    return write_primitive(SdfCode::ellipsoid, Numbers{}.add(center).add(radii),
                           {center - radii, center + radii});
}

SdfShape extruded_polygon(const std::vector<Corner2>& corners, double half_height) {
    require_above_zero("the polygon's half height", half_height);
    const std::vector<Corner2> ring = simple_counter_clockwise(corners);
    Box3 box;
    std::vector<double> outline;
    for (const Corner2& c : ring) {
        outline.insert(outline.end(), c.begin(), c.end());
        box.add(Vec3d{c[0], c[1], -half_height});
        box.add(Vec3d{c[0], c[1], half_height});
    }
    Numbers n;
    n.add(half_height);
    for (const double a : outline) n.add(a);
    for (const double a : polygon_tree(outline)) n.add(a);
    return write_primitive(SdfCode::polygon, n, box, static_cast<int>(ring.size()));
}

SdfShape star(int points, double outer, double inner, double half_height) {
    if (points < 3 || points > 1000)
        throw InputError(Place{}, fmt::format("the star has {} points", points), "give 3 to 1000");
    require_above_zero("the star's outer radius", outer);
    require_above_zero("the star's inner radius", inner);
    std::vector<Corner2> corners;
    for (int i = 0; i < 2 * points; ++i) {
        const double angle = std::numbers::pi * (0.5 + static_cast<double>(i) / points);
        const double r = i % 2 ? inner : outer;
        corners.push_back({r * std::cos(angle), r * std::sin(angle)});
    }
    return extruded_polygon(corners, half_height);
}

SdfShape grid(std::shared_ptr<const SdfGrid> grid) {
    const Vec3i n = grid->size;
    const bool fits = n.x >= 2 && n.y >= 2 && n.z >= 2 &&
                      grid->values.size() == grid->index(n.x - 1, n.y - 1, n.z - 1) + 1;
    if (!fits)
        throw InputError(Place{}, "the distance grid's size and its values do not match",
                         "give at least two values along each axis");
    require_above_zero("the distance grid's spacing", grid->spacing);
    return write_grid(std::move(grid));
}

SdfShape unite(const std::vector<SdfShape>& parts) {
    const std::vector<SdfShape> list = without_empty(parts);
    if (list.size() < 2) return list.empty() ? SdfShape{} : list.front();
    return write_fold(SdfCode::unite, list, {}, box_around(list, 0));
}

SdfShape smooth_unite(const std::vector<SdfShape>& parts, double blend_radius) {
    require_not_below_zero("the blend radius", blend_radius);
    const std::vector<SdfShape> list = without_empty(parts);
    if (list.size() < 2 || blend_radius == 0) return unite(list);
    // Each blend lowers by a quarter of its radius at most, all together by one radius.
    const double raise = blend_radius * min(0.25 * static_cast<double>(list.size() - 1), 1.);
    return write_fold(SdfCode::smooth_unite, list, Numbers{}.add(blend_radius),
                      box_around(list, raise));
}

SdfShape subtract(const SdfShape& from, const SdfShape& what) {
    if (from.empty() || what.empty()) return from;
    return write_fold(SdfCode::subtract, {from, what}, {}, from.program()->level_box);
}

SdfShape intersect(const std::vector<SdfShape>& parts) {
    for (const SdfShape& part : parts)
        if (part.empty()) return {};
    if (parts.size() < 2) return parts.empty() ? SdfShape{} : parts.front();
    return write_fold(SdfCode::intersect, parts, {}, [parts](double level) {
        Box3 box = Box3::everything();
        for (const SdfShape& part : parts) box.clip(part.program()->level_box(level));
        return box;
    });
}

SdfShape shell(const SdfShape& shape, double thickness) {
    require_above_zero("the shell's thickness", thickness);
    if (shape.empty()) return {};
    return write_unary(SdfCode::shell, shape, 0.5 * thickness,
                       box_around({shape}, 0.5 * thickness));
}

SdfShape offset(const SdfShape& shape, double distance) {
    require_finite("the offset", {distance, 0, 0});
    if (shape.empty()) return {};
    return write_unary(SdfCode::offset, shape, distance, box_around({shape}, distance));
}

SdfShape translated(const SdfShape& shape, const Vec3d& by) {
    require_finite("the translation", by);
    return shape.empty() ? shape : write_moved(shape, identity3<double>(), by, 1);
}

SdfShape rotated(const SdfShape& shape, const Vec3d& axis_angle) {
    require_finite("the rotation", axis_angle);
    return shape.empty() ? shape : write_moved(shape, rotation_of(axis_angle), {0, 0, 0}, 1);
}

SdfShape scaled(const SdfShape& shape, double factor) {
    require_above_zero("the scale", factor);
    return shape.empty() ? shape : write_moved(shape, identity3<double>(), {0, 0, 0}, factor);
}

}  // namespace knead::sdf
