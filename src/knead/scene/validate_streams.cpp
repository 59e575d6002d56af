#include <algorithm>

#include "knead/base/suggest.h"
#include "knead/scene/validate.h"

namespace knead {

namespace {

// A stop after the start.
void check_span(const Scene& scene, const std::string& path, double start,
                const std::optional<double>& stop, Reader& r) {
    if (stop && !(*stop > start))
        r.mistake(scene.place(path + ".stop"), path + ".stop is not after start",
                  "allowed: above " + to_toml_inline(to_value(start)) + " [s]");
}

void check_carrier(const Scene& scene, const StreamSpec& s, const std::string& path, Reader& r) {
    if (s.carried_by.empty()) return;
    std::vector<std::string> names;
    for (const ColliderSpec& c : scene.colliders) names.push_back(c.name);
    const auto at = std::find(names.begin(), names.end(), s.carried_by);
    const Place place = scene.place(path + ".carried_by");
    const std::string is = path + ".carried_by is " + to_short_text(Value::of(s.carried_by));
    if (at == names.end()) {
        const std::string guess = did_you_mean(s.carried_by, names);
        r.mistake(place, is + ", and there is no such collider",
                  guess.empty() ? "name one of the colliders" : guess);
    } else if (scene.colliders[static_cast<std::size_t>(at - names.begin())].pushed) {
        r.mistake(place, is + ", and matter pushes that one",
                  "name a collider whose motion is given");
    }
}

void check_stream(const Scene& scene, std::size_t i, Reader& r) {
    const BodySpec& body = scene.bodies[i];
    const StreamSpec& s = *body.stream;
    const std::string own = "bodies." + std::to_string(i), path = own + ".stream";
    if (r.is_bad(path)) return;
    if (body.emit)
        r.mistake(scene.place(path), own + " has both emit and stream", "keep one of the two");
    if (s.speed.has_value() == s.volume_rate.has_value())
        r.mistake(
            scene.place(path),
            path + (s.speed ? " has both speed and volume_rate" : " does not say how much enters"),
            s.speed ? "keep one of the two" : "give it a speed [m/s] or a volume_rate [m3/s]");
    if (!(length(s.direction) > 0))
        r.mistake(scene.place(path + ".direction"), path + ".direction has no direction",
                  "give a vector that is not zero");
    const auto idle = [&](bool given, const char* key) {
        if (given)
            r.mistake(scene.place(own + "." + key),
                      own + "." + key +
                          " is for bodies that are there at the start, and this one "
                          "is a stream",
                      "leave it out; stream.direction and stream.speed say how it moves");
    };
    idle(length(body.velocity) > 0, "velocity");
    idle(length(body.angular_velocity) > 0, "angular_velocity");
    idle(body.jitter > 0, "jitter");
    idle(body.refine.has_value(), "refine");
    idle(body.flow_rate.has_value(), "flow_rate");
    check_span(scene, path, s.start, s.stop, r);
    check_carrier(scene, s, path, r);
}

}  // namespace

void validate_streams(const Scene& scene, Reader& r) {
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
        if (scene.bodies[i].stream && !scene.bodies[i].thin) check_stream(scene, i, r);
    for (std::size_t i = 0; i < scene.sinks.size(); ++i)
        check_span(scene, "sinks." + std::to_string(i), scene.sinks[i].start, scene.sinks[i].stop,
                   r);
}

}  // namespace knead
