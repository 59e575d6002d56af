#include "knead/scene/warn_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "knead/materials/parameters.h"

namespace knead {

namespace {

std::string path_of(std::size_t body) { return "bodies." + std::to_string(body); }

// How far its particles reach along a direction.
double extent(const std::vector<Vec3d>& points, const Vec3d& direction) {
    double lo = 1e300, hi = -1e300;
    for (const Vec3d& x : points) {
        const double along = dot(x, direction);
        lo = std::min(lo, along), hi = std::max(hi, along);
    }
    return hi - lo;
}

// Matter holds itself up by its stiffness: solids by Young's modulus, what flows by the bulk
// modulus, since it may spread.
void warn_of_weight(const Scene& scene, const Model& model, const std::vector<Vec3d>& points,
                    std::size_t body, std::vector<Mistake>& warnings) {
    constexpr double far_below = 0.3;
    const double g = length(scene.gravity);
    const Material& m = model.materials[static_cast<std::size_t>(model.bodies[body].material)];
    if (!(g > 0)) return;
    const double height = extent(points, scene.gravity / g) + model.bodies[body].spacing;
    const double weight = m.density * g * height;  // pressure at the bottom [Pa]
    const bool solid = m.elastic.shear_modulus > 0 && m.flow.rule == FlowRule::none;
    const double bulk = m.elastic.bulk_modulus, shear = m.elastic.shear_modulus;
    const double stiffness = solid ? 9 * bulk * shear / (3 * bulk + shear) : bulk;
    if (!(stiffness < far_below * weight)) return;
    warnings.push_back(
        {scene.place(path_of(body) + ".material"),
         fmt::format("body {} cannot bear its own weight: {} of {} is {:.3g} Pa, and density x "
                     "gravity x height is {:.3g} Pa",
                     model.bodies[body].name, solid ? "Young's modulus" : "the bulk modulus",
                     m.name, stiffness, weight),
         fmt::format("was kPa meant? a number without unit is in Pa; \"{:.3g} kPa\" would do",
                     stiffness)});
}

// By the particle that is deepest inside; a sample of them, since distances to meshes take time.
void warn_of_width(const Scene& scene, const Model& model, const Fill& fill, std::size_t body,
                   std::vector<Mistake>& warnings) {
    constexpr std::size_t most = 4000;
    constexpr double few = 3.25;
    const double spacing = model.bodies[body].spacing;
    const Vec3d size = fill.shape.bounds().size();
    if (std::min({size.x, size.y, size.z}) < 2 * scene.solver.dx) return;  // said already
    const std::size_t stride = 1 + fill.points.size() / most;
    double deepest = 0;
    for (std::size_t i = 0; i < fill.points.size(); i += stride) {
        deepest = std::max(deepest, -fill.shape.distance(fill.points[i]));
        // The middle lies between particles, or on one.
        if (2 * deepest + 0.5 * spacing > few * spacing) return;
    }
    warnings.push_back(
        {scene.place(path_of(body) + ".shape"),
         fmt::format("body {} is at most three particles thick", model.bodies[body].name),
         "it will bend and break as its particles do; lower solver.dx to at most half"});
}

// Steps that follow such a body are shorter than any, and what it meets takes up all of its speed
// in one of them.
void refuse_wild_speed(const Scene& scene, const Material& m, const Fill& fill, std::size_t body,
                       std::vector<Mistake>& mistakes) {
    constexpr double most = 1e4;  // times as fast as waves in it
    const BodySpec& spec = scene.bodies[body];
    const double stiffness = m.elastic.bulk_modulus + 4.0 / 3 * m.elastic.shear_modulus;
    const double allowed = most * std::sqrt(stiffness / m.density);
    const double turning = length(spec.angular_velocity) * length(fill.shape.bounds().size()) / 2;
    const double moving = length(spec.velocity);
    const double streaming = spec.stream ? spec.stream->speed.value_or(0) : 0;
    const double speed = std::max(moving + turning, streaming);
    if (!(allowed > 0) || speed <= allowed) return;
    const std::string key = streaming > moving + turning ? ".stream.speed"
                            : turning > moving           ? ".angular_velocity"
                                                         : ".velocity";
    mistakes.push_back(
        {scene.place(path_of(body) + key),
         fmt::format("body {} moves at {:.3g} m/s, and waves in {} at {:.3g} m/s: no step can "
                     "follow what it meets",
                     spec.name, speed, m.name, allowed / most),
         fmt::format("allowed: up to {:.3g} m/s in this material; is the unit right?", allowed)});
}

}  // namespace

void refuse_wild_speeds(const Scene& scene, const Model& model, const std::vector<Fill>& fills,
                        std::vector<Mistake>& mistakes) {
    for (std::size_t b = 0; b < fills.size(); ++b)
        if (!fills[b].points.empty())
            refuse_wild_speed(scene,
                              model.materials[static_cast<std::size_t>(model.bodies[b].material)],
                              fills[b], b, mistakes);
}

void warn_of_bodies(const Scene& scene, const Model& model, const std::vector<Fill>& fills,
                    std::vector<Mistake>& warnings) {
    for (std::size_t b = 0; b < fills.size(); ++b) {
        if (fills[b].points.empty() || scene.bodies[b].stream) continue;
        warn_of_weight(scene, model, fills[b].points, b, warnings);
        if (!scene.bodies[b].refine) warn_of_width(scene, model, fills[b], b, warnings);
    }
}

}  // namespace knead
