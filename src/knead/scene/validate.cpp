#include "knead/scene/validate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "knead/base/suggest.h"
#include "knead/materials/presets.h"

namespace knead {

namespace {

std::string item(const char* list, std::size_t i) {
    return std::string(list) + "." + std::to_string(i);
}

std::string quote(const std::string& text) { return to_short_text(Value::of(text)); }

// Names serve in --set paths and file names, so they look like words.
template <class Spec>
void check_names(const Scene& scene, const std::vector<Spec>& items, const char* list, Reader& r) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string& name = items[i].name;
        const Place place = scene.place(item(list, i) + ".name");
        const auto first = static_cast<unsigned char>(name.empty() ? '0' : name[0]);
        const bool word = std::all_of(name.begin(), name.end(), [](char c) {
            return static_cast<unsigned char>(c) > ' ' && c != '.' && c != '"' && c != '\'' &&
                   c != '=' && c != '/' && c != '\\' && c != 0x7f;
        });
        if (first <= '@' || !word || name.size() > 100)
            r.mistake(place, item(list, i) + ".name is " + quote(name),
                      "begin with a letter, and use no spaces, dots, slashes, quotes or =");
        else if (!seen.insert(name).second)
            r.mistake(place, "two of the " + std::string(list) + " have the name " + quote(name),
                      "give each its own");
    }
}

void check_materials(Scene& scene, Reader& r) {
    std::vector<std::string> known;
    for (const Material& m : scene.materials) known.push_back(m.name);
    for (const Material& m : material_presets()) known.push_back(m.name);
    std::set<std::string> used;
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        const std::string& name = scene.bodies[i].material;
        const std::string path = item("bodies", i) + ".material";
        used.insert(name);
        if (!scene.places.contains(path) || r.is_bad(path)) continue;
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        const std::string guess = did_you_mean(name, known);
        r.mistake(scene.place(path),
                  path + " is " + quote(name) + ", and there is no such material",
                  guess.empty() ? "add [materials." + name + "], or take a preset: knead materials"
                                : guess);
    }
    if (!r.mistakes().empty()) return;  // it may be meant by what is misspelt
    for (const Material& m : scene.materials)
        if (!used.contains(m.name))
            scene.warnings.push_back({scene.place("materials." + m.name),
                                      "no body is made of materials." + m.name,
                                      "name it in a body, or take it out"});
}

void check_bodies(const Scene& scene, Reader& r) {
    if (scene.bodies.empty() && scene.places.contains("bodies") && !r.is_bad("bodies"))
        r.mistake(scene.place("bodies"), "there are no bodies", "add [[bodies]]");
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        if (scene.bodies[i].enters_later() && scene.solver.estimate_volumes)
            r.mistake(scene.place("solver.volumes"),
                      "volumes of bodies that enter later cannot be estimated",
                      "write volumes = \"exact\", or leave out what enters later");
        const std::string path = item("bodies", i);
        if (scene.places.contains(path + ".spacing") &&
            scene.places.contains(path + ".particles_per_cell"))
            r.mistake(scene.place(path + ".particles_per_cell"),
                      path + " has both spacing and particles_per_cell", "keep one of the two");
    }
}

void check_solver(Scene& scene, Reader&) {
    const SolverSpec& s = scene.solver;
    const auto idle = [&](const char* key, const char* needs) {
        if (scene.places.contains(key))
            scene.warnings.push_back({scene.place(key), std::string(key) + " has no effect",
                                      std::string("it needs solver.") + needs});
    };
    if (!keeps_own(s.transfer))
        for (const char* key : {"solver.flip_fraction", "solver.flip_dt"})
            idle(key, "transfer = \"flip\" or \"aflip\"");
    if (!is_affine(s.transfer)) idle("solver.damping", "transfer = \"apic\" or \"aflip\"");
    if (s.sticky_walls != StickyWalls::nodes)
        idle("solver.sticky_reach", "sticky_walls = \"nodes\"");
}

void check_time(Scene& scene, Reader& r) {
    const TimeSettings& t = scene.time;
    if (r.is_bad("time")) return;
    if (t.max_dt > 0 && t.max_dt < t.min_dt)
        r.mistake(scene.place("time.max_dt"), "time.max_dt is below time.min_dt",
                  "allowed: at least " + to_toml_inline(to_value(t.min_dt)) + " [s], or 0");
    if (t.max_dt > 1 / t.frame_rate)
        scene.warnings.push_back(
            {scene.place("time.max_dt"), "time.max_dt is longer than a frame and has no effect",
             "frames last " + to_toml_inline(to_value(1 / t.frame_rate)) + " s"});
}

void check_motion(const Scene& scene, const MotionSpec& m, const std::string& path, Reader& r) {
    for (std::size_t k = 1; k < m.keys.size(); ++k)
        if (!(m.keys[k].time > m.keys[k - 1].time))
            r.mistake(scene.place(path + ".keys." + std::to_string(k) + ".time"),
                      path + ".keys are not in the order of time",
                      "allowed: above " + to_toml_inline(to_value(m.keys[k - 1].time)) + " [s]");
    if (scene.places.contains(path + ".stop") && m.stop != 0 && !(m.stop > m.start))
        r.mistake(scene.place(path + ".stop"), path + ".stop is not after start",
                  "allowed: above " + to_toml_inline(to_value(m.start)) + " [s]");
    if (m.smooth && m.keys.size() < 3)
        r.mistake(scene.place(path + ".smooth"), path + ".smooth needs keys to pass through",
                  "give at least 3 keys");
}

void check_colliders(const Scene& scene, Reader& r) {
    for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
        const std::string path = item("colliders", i);
        const ColliderSpec& c = scene.colliders[i];
        if (c.friction > 0 && c.contact != Contact::separate && !r.is_bad(path + ".contact"))
            r.mistake(scene.place(path + ".friction"), path + ".friction has no effect",
                      "it needs contact = \"separate\"");
        if (c.animation && c.pushed)
            r.mistake(scene.place(path + ".pushed"), path + " has both animation and pushed",
                      "a mesh that changes is not pushed: keep one of the two");
        if (c.adhesion > 0 && c.contact != Contact::separate && !r.is_bad(path + ".contact"))
            r.mistake(scene.place(path + ".adhesion"), path + ".adhesion has no effect",
                      "it needs contact = \"separate\"");
        if (c.adhesion > 0 && scene.solver.method == Method::implicit)
            r.mistake(scene.place(path + ".adhesion"), path + ".adhesion has no effect",
                      "the implicit point method has no adhesion; the other methods have");
        if (!r.is_bad(path + ".motion")) check_motion(scene, c.motion, path + ".motion", r);
    }
}

// A grip of a group names a thin body of the scene.
void check_grip_body(const Scene& scene, std::size_t i, Reader& r) {
    const GripSpec& grip = scene.grips[i];
    if (grip.body.empty()) return;
    const std::string path = item("grips", i);
    std::vector<std::string> names;
    for (const BodySpec& b : scene.bodies)
        if (b.thin) names.push_back(b.name);
    if (std::find(names.begin(), names.end(), grip.body) == names.end()) {
        const std::string guess = did_you_mean(grip.body, names);
        r.mistake(scene.place(path + ".body"),
                  path + ".body is " + quote(grip.body) + ", and there is no such thin body",
                  guess.empty() ? "name a body with thin, or give a shape" : guess);
    }
    if (grip.group.empty())
        r.mistake(scene.place(path), path + " has a body and no group",
                  "name a group of its vertices, such as \"top\"");
}

void check_grips(const Scene& scene, Reader& r) {
    for (std::size_t i = 0; i < scene.grips.size(); ++i) {
        check_grip_body(scene, i, r);
        const std::string path = item("grips", i) + ".motion";
        if (!r.is_bad(path)) check_motion(scene, scene.grips[i].motion, path, r);
    }
    for (std::size_t i = 0; i < scene.pulls.size(); ++i)
        if (!r.is_bad(item("pulls", i)) && !(scene.pulls[i].stop > scene.pulls[i].start))
            r.mistake(scene.place(item("pulls", i) + ".stop"),
                      item("pulls", i) + ".stop is not after start",
                      "allowed: above " + to_toml_inline(to_value(scene.pulls[i].start)) + " [s]");
}

void check_camera(const Scene& scene, Reader& r) {
    const CameraSpec& c = scene.camera;
    if (r.is_bad("camera")) return;
    if (!(length(c.up) > 0))
        r.mistake(scene.place("camera.up"), "camera.up has no direction",
                  "give a vector that is not zero");
    if (!c.position || !c.target) return;
    const Vec3d view = *c.target - *c.position;
    if (!(length(view) > 0))
        r.mistake(scene.place("camera.target"), "camera.target is where the camera stands",
                  "look at another point");
    else if (length(cross(view, c.up)) < 1e-6 * length(view) * length(c.up))
        r.mistake(scene.place("camera.up"), "the camera looks straight along camera.up",
                  "set camera.up to another direction");
}

}  // namespace

void validate(Scene& scene, Reader& r) {
    check_names(scene, scene.bodies, "bodies", r);
    check_names(scene, scene.colliders, "colliders", r);
    check_names(scene, scene.grips, "grips", r);
    check_materials(scene, r);
    check_bodies(scene, r);
    validate_thin(scene, r);
    check_solver(scene, r);
    check_time(scene, r);
    check_colliders(scene, r);
    check_grips(scene, r);
    check_names(scene, scene.sinks, "sinks", r);
    for (std::size_t i = 0; i < scene.sinks.size(); ++i)
        if (const std::string path = item("sinks", i) + ".motion"; !r.is_bad(path))
            check_motion(scene, scene.sinks[i].motion, path, r);
    validate_streams(scene, r);
    validate_method(scene, r);
    check_camera(scene, r);
    validate_shapes(scene, r);
}

}  // namespace knead
