#include "knead/scene/build_streams.h"

#include <algorithm>
#include <numbers>

#include "knead/geometry/sdf_build.h"
#include "knead/scene/build_shape.h"
#include "knead/scene/fill_body.h"

namespace knead {

Motion build_motion(const MotionSpec& spec, const SdfShape& shape) {
    constexpr double radian = std::numbers::pi / 180;
    Motion m;
    const Box3 box = shape.bounds();
    if (spec.pivot)
        m.pivot = *spec.pivot;
    else if (!box.empty() && box.bounded())
        m.pivot = box.center();
    m.velocity = spec.velocity;
    m.angular_velocity = spec.angular_velocity;
    m.amplitude = spec.oscillation.amplitude;
    m.frequency = spec.oscillation.frequency;
    m.phase = radian * spec.oscillation.phase;
    m.ramp = spec.oscillation.ramp;
    m.smooth_path = spec.smooth;
    for (const MotionKeySpec& k : spec.keys)
        m.keys.push_back({k.time, k.position, radian * k.rotation});
    m.start = spec.start;
    m.stop = spec.stop;
    return m;
}

double inflow_volume(const Scene& scene, const StreamSpec& stream, double area) {
    const double end = scene.time.frames / scene.time.frame_rate;
    const double seconds = std::max(0.0, std::min(end, stream.stop.value_or(end)) - stream.start);
    return seconds * stream.volume_rate.value_or(area * stream.speed.value_or(0));
}

namespace {

// A round plate that covers the opening. Point methods push from its face, behind the opening. On
// the grid it is sticky and reaches a cell out of the opening: matter in it moves as its nodes do,
// so that it is driven out; it runs on until the last slice has left it.
Collider wall_behind(const Stream& s, const std::string& name, double dx, Method method) {
    const Vec3d middle = middle_of(s.points);
    double reach = 0;
    for (const Vec3d& x : s.points) reach = std::max(reach, length(x - middle));
    const double out = method == Method::mpm ? dx : -0.5 * s.spacing;
    const Vec3d front = middle + out * s.direction;
    Collider wall;
    wall.name = name + ".opening";
    wall.shape = sdf::cylinder(front - 2 * dx * s.direction, front, reach + 0.5 * s.spacing);
    wall.motion = s.carrier;
    wall.motion.belt = {s.speed * s.direction, s.start, s.stop + 1.5 * dx / s.speed};
    if (method == Method::mpm) wall.contact = Contact::sticky;
    return wall;
}

}  // namespace

void build_streams(const Scene& scene, const std::vector<std::vector<Vec3d>>& slices,
                   Model& model) {
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        const BodySpec& body = scene.bodies[b];
        if (!body.stream) continue;
        const StreamSpec& spec = *body.stream;
        Stream s;
        s.body = static_cast<int>(b);
        s.material = model.bodies[b].material;
        s.points = slices[b];
        s.direction = spec.direction / length(spec.direction);
        s.spacing = spacing_of(scene, body);
        const double area = static_cast<double>(s.points.size()) * s.spacing * s.spacing;
        s.speed = spec.speed ? *spec.speed : *spec.volume_rate / area;
        s.jitter = spec.jitter;
        const Material& material = model.materials[static_cast<std::size_t>(s.material)];
        s.pressure = spec.pressure.value_or(0.05 * material.elastic.bulk_modulus);
        s.start = spec.start;
        s.stop = spec.stop.value_or(1e30);
        for (const Collider& c : model.colliders)
            if (!spec.carried_by.empty() && c.name == spec.carried_by) s.carrier = c.motion;
        model.streams.push_back(std::move(s));
    }
    for (Stream& s : model.streams) {
        const std::string& name = model.bodies[static_cast<std::size_t>(s.body)].name;
        s.wall = model.colliders.size();
        model.colliders.push_back(wall_behind(s, name, model.dx, model.method()));
    }
}

void build_sinks(const Scene& scene, Model& model, std::vector<Mistake>& mistakes) {
    for (std::size_t i = 0; i < scene.sinks.size(); ++i) {
        const SinkSpec& spec = scene.sinks[i];
        const SdfShape shape =
            build_shape(scene, spec.shape, "sinks." + std::to_string(i) + ".shape", mistakes);
        model.sinks.push_back({spec.name, shape, build_motion(spec.motion, shape), spec.start,
                               spec.stop.value_or(1e30), spec.interval});
    }
}

}  // namespace knead
