#include <algorithm>
#include <cmath>

#include "knead/materials/parameters.h"
#include "knead/scene/keys.h"
#include "knead/scene/validate.h"

namespace knead {

namespace {

std::string item(const char* list, std::size_t i) {
    return std::string(list) + "." + std::to_string(i);
}

std::string name_of(Method method) {
    return method == Method::mpm           ? "mpm"
           : method == Method::incremental ? "incremental"
                                           : "embedded";
}

// Settings of other methods are allowed, so that one scene can be tried with all of them, but said
// to be idle.
void check_idle_settings(Scene& scene) {
    const SolverSpec& s = scene.solver;
    const auto idle = [&](const std::string& key, const std::string& needs) {
        if (scene.places.contains(key))
            scene.warnings.push_back({scene.place(key), key + " has no effect",
                                      "it needs solver.method = \"" + needs + "\""});
    };
    if (s.method != Method::incremental) idle("solver.incremental", "incremental");
    if (s.method != Method::embedded) idle("solver.embedded", "embedded");
    if (s.method == Method::mpm) return;
    const std::vector<std::string> shared{"method",      "dx",       "precision",
                                          "incremental", "embedded", "deterministic"};
    for (const auto& key : solver_keys())
        if (std::find(shared.begin(), shared.end(), key.info.name) == shared.end())
            idle("solver." + key.info.name, "mpm");
}

void refuse(const Scene& scene, Reader& r, const std::string& key, const std::string& what) {
    const std::string method = name_of(scene.solver.method);
    r.mistake(scene.place(key), "the " + method + " method has no " + what,
              "leave it out, or choose another solver.method");
}

void check_grid_scene(const Scene& scene, Reader& r) {
    if (!scene.grips.empty()) refuse(scene, r, "grips", "grips");
    if (!scene.pulls.empty()) refuse(scene, r, "pulls", "pulls");
    for (std::size_t i = 0; i < scene.colliders.size(); ++i)
        if (scene.colliders[i].pushed)
            refuse(scene, r, item("colliders", i) + ".pushed", "colliders that can be pushed");
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
        if (scene.bodies[i].refine)
            refuse(scene, r, item("bodies", i) + ".refine", "bodies of uneven spacing");
}

// Where a body's material is named.
Place place_of_material(const Scene& scene, const Material& m) {
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
        if (scene.bodies[i].material == m.name && !scene.places.contains("materials." + m.name))
            return scene.place(item("bodies", i) + ".material");
    return scene.place("materials." + m.name);
}

void check_material(const Scene& scene, const Material& m, Reader& r) {
    using E = ElasticLaw;
    const std::string method = name_of(scene.solver.method);
    const bool elastic = m.elastic.law == E::corotated_linear ||
                         m.elastic.law == E::fixed_corotated || m.elastic.law == E::hencky;
    const bool flow = m.flow.rule == FlowRule::none || m.flow.rule == FlowRule::creep;
    if (!elastic || !flow)
        r.mistake(place_of_material(scene, m),
                  "the " + method + " method cannot take material " + m.name + ": " +
                      to_string(m.elastic.law) + ", flow " + to_string(m.flow.rule),
                  "it takes corotated-linear, fixed-corotated and hencky solids without flow or "
                  "with creep; mpm takes this one");
    const IncrementalSettings& s = scene.solver.incremental;
    const bool linear_only = s.squared_stretch || s.memory == DeformationMemory::additive_strain;
    if (scene.solver.method == Method::incremental && linear_only && elastic &&
        m.elastic.law != E::corotated_linear)
        r.mistake(place_of_material(scene, m),
                  "squared stretches and additive strain need linear stress, and material " +
                      m.name + " is " + to_string(m.elastic.law),
                  "write elastic.law = \"corotated-linear\"");
}

void check_incremental(const Scene& scene, Reader& r) {
    const double spacing = scene.bodies.empty() ? 0 : spacing_of(scene, scene.bodies[0]);
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        const BodySpec& body = scene.bodies[i];
        if (body.flow_rate)
            refuse(scene, r, item("bodies", i) + ".flow_rate", "rate that varies in a body");
        if (body.refine || std::abs(spacing_of(scene, body) / spacing - 1) > 1e-9)
            r.mistake(scene.place(item("bodies", i)),
                      "the incremental method needs one spacing for all particles",
                      "give every body the same spacing, or choose the embedded method");
        if (body.emit && scene.solver.incremental.memory == DeformationMemory::rest_configuration)
            refuse(scene, r, item("bodies", i) + ".emit",
                   "bodies that enter later while it keeps a rest configuration");
    }
}

void check_embedded(const Scene& scene, Reader& r) {
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
        if (scene.bodies[i].emit)
            refuse(scene, r, item("bodies", i) + ".emit", "bodies that enter in copies");
}

}  // namespace

void validate_method(Scene& scene, Reader& r) {
    if (r.is_bad("solver") || r.is_bad("materials") || r.is_bad("bodies")) return;
    check_idle_settings(scene);
    if (!scene.solver.deterministic)
        r.mistake(scene.place("solver.deterministic"), "every run of knead is deterministic",
                  "leave it out, or set it to true");
    if (scene.solver.method == Method::mpm) return check_grid_scene(scene, r);
    for (const Material& m : scene.materials) check_material(scene, m, r);
    if (scene.solver.method == Method::incremental) check_incremental(scene, r);
    if (scene.solver.method == Method::embedded) check_embedded(scene, r);
}

}  // namespace knead
