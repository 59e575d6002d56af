#include "knead/scene/build_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "knead/base/machine.h"
#include "knead/geometry/sample_section.h"
#include "knead/geometry/sdf_build.h"
#include "knead/geometry/shape_blocks.h"
#include "knead/scene/build_mesh.h"
#include "knead/scene/estimate.h"

namespace knead {

namespace {

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

std::string metres(double a) { return fmt::format("{:.3g} m", a); }

// Builds one shape and what is in it; keeps the key path of where it is.
struct Builder {
    const Scene& scene;
    std::vector<Mistake>& mistakes;
    std::string path;
    double scale = 1;  // of everything around the current shape

    void mistake(const std::string& what, const std::string& remedy) {
        mistakes.push_back({scene.place(path), path + " " + what, remedy});
    }
    SdfShape build(const ShapeSpec& spec, const std::string& where);
    SdfShape place(const ShapeSpec& spec, SdfShape shape) const;
    std::vector<SdfShape> build_all(const std::vector<ShapeSpec>& specs, const std::string& where,
                                    std::size_t least);

    SdfShape operator()(const std::monostate&) { return {}; }
    SdfShape operator()(const SphereSpec& s) { return sdf::sphere(s.center, s.radius); }
    SdfShape operator()(const BoxSpec& s) { return sdf::box(s.center, 0.5 * s.size, s.rounding); }
    SdfShape operator()(const CylinderSpec& s) {
        return sdf::cylinder(s.from, s.to, s.radius, s.rounding);
    }
    SdfShape operator()(const CapsuleSpec& s) { return sdf::capsule(s.from, s.to, s.radius); }
    SdfShape operator()(const ConeSpec& s) {
        return sdf::cone(s.from, s.to, s.radius_from, s.radius_to);
    }
    SdfShape operator()(const TorusSpec& s) {
        if (s.minor_radius >= s.major_radius)
            throw InputError(Place{}, "torus.minor_radius is not below major_radius",
                             "allowed: below " + metres(s.major_radius));
        return sdf::torus(s.center, s.axis, s.major_radius, s.minor_radius);
    }
    SdfShape operator()(const PlaneSpec& s) { return sdf::plane(s.point, s.normal); }
    SdfShape operator()(const EllipsoidSpec& s) { return sdf::ellipsoid(s.center, s.radii); }
    SdfShape operator()(const PolygonSpec& s) {
        std::vector<sdf::Corner2> corners;
        for (const Vec3d& p : s.points) corners.push_back({p.x, p.y});
        return sdf::extruded_polygon(corners, 0.5 * s.height);
    }
    SdfShape operator()(const StarSpec& s) {
        if (s.inner_radius >= s.outer_radius)
            throw InputError(Place{}, "star.inner_radius is not below outer_radius",
                             "allowed: below " + metres(s.outer_radius));
        return sdf::star(s.points, s.outer_radius, s.inner_radius, 0.5 * s.height);
    }
    SdfShape operator()(const MeshSpec& s) { return build_mesh(s, 0.5 * scene.solver.dx / scale); }
    SdfShape operator()(const UnionSpec& s) {
        const auto parts = build_all(s.of, "union", 1);
        return parts.empty() ? SdfShape() : sdf::unite(parts);
    }
    SdfShape operator()(const SmoothUnionSpec& s) {
        const auto parts = build_all(s.of, "smooth_union.of", 2);
        return parts.empty() ? SdfShape() : sdf::smooth_unite(parts, s.blend);
    }
    SdfShape operator()(const DifferenceSpec& s) {
        auto parts = build_all(s.of, "difference", 2);
        if (parts.empty()) return {};
        const SdfShape first = parts.front();
        parts.erase(parts.begin());
        return sdf::subtract(first, parts.size() == 1 ? parts[0] : sdf::unite(parts));
    }
    SdfShape operator()(const IntersectionSpec& s) {
        const auto parts = build_all(s.of, "intersection", 2);
        return parts.empty() ? SdfShape() : sdf::intersect(parts);
    }
    SdfShape operator()(const ShellSpec& s) {
        const auto part = build_all(s.of, "shell.of", 1);
        return part.empty() ? SdfShape() : sdf::shell(part[0], s.thickness);
    }
    SdfShape operator()(const OffsetSpec& s) {
        const auto part = build_all(s.of, "offset.of", 1);
        return part.empty() ? SdfShape() : sdf::offset(part[0], s.distance);
    }
};

// Empty when one of them could not be built, or when there are too few.
std::vector<SdfShape> Builder::build_all(const std::vector<ShapeSpec>& specs,
                                         const std::string& where, std::size_t least) {
    if (specs.size() < least) {
        mistake("has too few shapes in " + where, "give at least " + std::to_string(least));
        return {};
    }
    const bool one = where.starts_with("shell") || where.starts_with("offset");
    std::vector<SdfShape> shapes;
    for (std::size_t i = 0; i < specs.size(); ++i)
        shapes.push_back(build(specs[i], one ? where : where + "." + std::to_string(i)));
    for (const SdfShape& s : shapes)
        if (s.empty()) return {};
    return shapes;
}

SdfShape Builder::place(const ShapeSpec& spec, SdfShape shape) const {
    const bool turned = spec.scale != 1 || length(spec.rotate) > 0;
    const Box3 bounds = shape.bounds();
    Vec3d pivot{0, 0, 0};
    if (spec.pivot)
        pivot = *spec.pivot;
    else if (bounds.bounded() && !bounds.empty())
        pivot = bounds.center();
    if (turned && length(pivot) > 0) shape = sdf::translated(shape, -pivot);
    if (spec.scale != 1) shape = sdf::scaled(shape, spec.scale);
    if (length(spec.rotate) > 0) shape = sdf::rotated(shape, radians(1) * spec.rotate);
    const Vec3d back = turned ? pivot + spec.translate : spec.translate;
    return length(back) > 0 ? sdf::translated(shape, back) : shape;
}

SdfShape Builder::build(const ShapeSpec& spec, const std::string& where) {
    const std::size_t length = path.size();
    path += "." + where;
    scale *= spec.scale;
    SdfShape shape;
    try {
        shape = std::visit(*this, spec.form);
        if (!shape.empty()) shape = place(spec, shape);
    } catch (const InputError& e) {
        // Shapes know no places; meshes name their own file and line.
        for (const Mistake& m : e.mistakes()) {
            if (m.place.file.empty())
                mistake(": " + m.what, m.remedy);
            else
                mistakes.push_back(
                    {m.place, m.what + " (in " + path + ", " + to_string(scene.place(path)) + ")",
                     m.remedy});
        }
        shape = {};
    }
    scale /= spec.scale;
    path.resize(length);
    return shape;
}

bool any_mesh(const std::vector<ShapeSpec>& specs) {
    for (const ShapeSpec& s : specs)
        if (has_mesh(s)) return true;
    return false;
}

}  // namespace

bool has_mesh(const ShapeSpec& spec) {
    return std::visit(
        [](const auto& form) {
            using Form = std::decay_t<decltype(form)>;
            if constexpr (std::is_same_v<Form, MeshSpec>)
                return true;
            else if constexpr (requires { form.of; })
                return any_mesh(form.of);
            else
                return false;
        },
        spec.form);
}

SdfShape build_shape(const Scene& scene, const ShapeSpec& spec, const std::string& path,
                     std::vector<Mistake>& mistakes) {
    const std::size_t before = mistakes.size();
    const std::size_t dot = path.rfind('.');
    Builder builder{scene, mistakes, path.substr(0, dot)};
    const SdfShape shape = builder.build(spec, path.substr(dot + 1));
    return mistakes.size() == before ? shape : SdfShape();
}

// What is just as thick passes.
static double two_cells(const Scene& scene) { return (2 - 1e-9) * scene.solver.dx; }

// Of a stream only the section counts.
static void check_opening(const Scene& scene, std::size_t body, const SdfShape& shape,
                          std::vector<Mistake>& warnings) {
    const Vec3d& direction = scene.bodies[body].stream->direction;
    if (!(length(direction) > 0)) return;
    const double wide = std::sqrt(section_area(shape, direction));
    if (wide >= two_cells(scene)) return;
    const std::string path = "bodies." + std::to_string(body) + ".shape";
    warnings.push_back(
        {scene.place(path),
         path + ": the opening is narrower (" + metres(wide) + ") than two grid cells",
         "lower solver.dx to " + metres(0.5 * wide) + " or less"});
}

void check_body_shape(const Scene& scene, std::size_t body, const SdfShape& shape,
                      std::vector<Mistake>& mistakes, std::vector<Mistake>& warnings) {
    constexpr double most_particles = 2e9;
    const std::string path = "bodies." + std::to_string(body) + ".shape";
    const Place place = scene.place(path);
    const Box3 box = shape.bounds();
    if (!shape.bounded()) {
        mistakes.push_back({place, path + " has no end",
                            "planes are for colliders; cut it to size "
                            "with intersection or difference"});
        return;
    }
    const Vec3d size = box.size();
    const double thinnest = std::min({size.x, size.y, size.z});
    if (box.empty() || !(thinnest > 0)) {
        mistakes.push_back({place, path + " is empty", "check its sizes and what is cut away"});
        return;
    }
    const double spacing = spacing_of(scene, scene.bodies[body]);
    if (!(spacing > 0)) return;
    if (scene.bodies[body].stream) return check_opening(scene, body, shape, warnings);
    const double cell = spacing * spacing * spacing;
    double volume = size.x * size.y * size.z;
    if (!(volume / cell <= most_particles)) volume = measured_volume(shape);
    if (!(volume / cell <= most_particles)) {
        const double room = particles_that_fit(scene, available_memory());
        mistakes.push_back({place, path + " would take more than 2e9 particles",
                            "allowed: a spacing of at least " +
                                metres(1.02 * std::cbrt(volume / room)) +
                                "; raise solver.dx, or make it smaller"});
    } else if (thinnest < spacing) {
        mistakes.push_back({place,
                            path + " is thinner (" + metres(thinnest) +
                                ") than the distance between its particles (" + metres(spacing) +
                                ")",
                            "lower solver.dx, or check its sizes"});
    } else if (thinnest < two_cells(scene)) {
        warnings.push_back({place,
                            path + " is thinner (" + metres(thinnest) + ") than two grid cells",
                            "lower solver.dx to " + metres(0.5 * thinnest) + " or less"});
    }
}

void check_collider_shape(const Scene& scene, std::size_t collider, const SdfShape& shape,
                          std::vector<Mistake>& warnings) {
    const std::string path = "colliders." + std::to_string(collider) + ".shape";
    const Box3 box = shape.bounds();
    if (box.empty()) {
        warnings.push_back({scene.place(path), path + " is empty", "check its sizes"});
        return;
    }
    const Vec3d size = box.size();
    const double thinnest = std::min({size.x, size.y, size.z});
    if (thinnest < two_cells(scene))
        warnings.push_back({scene.place(path),
                            path + " is thinner (" + metres(thinnest) +
                                ") than two grid cells: fast matter may pass through",
                            "make it at least " + metres(2 * scene.solver.dx) + " thick"});
}

}  // namespace knead
