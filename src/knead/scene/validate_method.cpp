#include <algorithm>
#include <cmath>

#include "knead/materials/elastic_part.h"
#include "knead/materials/parameters.h"
#include "knead/scene/methods.h"
#include "knead/scene/validate.h"
#include "knead/scene/validate_method.h"

namespace knead {

namespace {

std::string item(const char* list, std::size_t i) {
    return std::string(list) + "." + std::to_string(i);
}

// Settings of other methods are allowed, so that one scene can be tried with all of them, but said
// to be idle.
void check_idle_settings(Scene& scene) {
    const Method method = scene.solver.method;
    const auto idle = [&](const std::string& key, Method needs) {
        if (scene.places.contains(key))
            scene.warnings.push_back({scene.place(key), key + " has no effect",
                                      "it needs solver.method = \"" + name_of(needs) + "\""});
    };
    std::vector<std::string> shared{"method", "dx", "precision"};
    for (const MethodRow& row : method_table()) {
        if (!row.table) continue;
        shared.push_back(row.table->info.name);
        if (row.method != method) idle("solver." + row.table->info.name, row.method);
    }
    if (method == Method::mpm) return;
    for (const auto& key : solver_keys())
        if (std::find(shared.begin(), shared.end(), key.info.name) == shared.end())
            idle("solver." + key.info.name, Method::mpm);
}

void refuse(const Scene& scene, Reader& r, const std::string& key, const std::string& what) {
    const std::string method = name_of(scene.solver.method);
    r.mistake(scene.place(key), "the " + method + " method has no " + what,
              "leave it out, or choose another solver.method");
}

// The key by which a body enters later.
const char* way_in(const BodySpec& body) { return body.emit ? ".emit" : ".stream"; }

bool flows(const Material& m) { return m.flow.rule != FlowRule::none; }

const Material* material_of(const Scene& scene, const BodySpec& body) {
    for (const Material& m : scene.materials)
        if (m.name == body.material) return &m;
    return nullptr;
}
bool never_flows(const Scene& scene, const BodySpec& body) {
    const Material* m = material_of(scene, body);
    return m && !flows(*m);
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
    const bool elastic = m.elastic.law != E::fluid;
    const bool radial =
        m.flow.rule == FlowRule::von_mises || m.flow.rule == FlowRule::herschel_bulkley;
    const bool flow = m.flow.rule == FlowRule::none || m.flow.rule == FlowRule::creep ||
                      (radial && (m.elastic.law == E::hencky || m.elastic.law == E::neo_hookean));
    if (!elastic || !flow)
        r.mistake(place_of_material(scene, m),
                  "the " + method + " method cannot take material " + m.name + ": " +
                      to_string(m.elastic.law) + ", flow " + to_string(m.flow.rule),
                  "it takes solids without flow or with creep, and hencky and neo-hookean with "
                  "von-mises or herschel-bulkley; mpm takes this one");
    const IncrementalSettings& s = scene.solver.incremental;
    const bool linear_only = s.squared_stretch || s.memory == DeformationMemory::additive_strain;
    if (scene.solver.method == Method::incremental && linear_only && elastic &&
        m.elastic.law != E::corotated_linear)
        r.mistake(place_of_material(scene, m),
                  "squared stretches and additive strain need linear stress, and material " +
                      m.name + " is " + to_string(m.elastic.law),
                  "write elastic.law = \"corotated-linear\"");
}

void check_incremental(Scene& scene, Reader& r) {
    const IncrementalSettings& s = scene.solver.incremental;
    const auto springy = [&](const BodySpec& body) { return never_flows(scene, body); };
    if (s.keeps_start() && std::none_of(scene.bodies.begin(), scene.bodies.end(), springy))
        r.mistake(scene.place("solver.incremental.memory"),
                  "memory = \"start\" needs matter that never flows, and every body here flows",
                  "write memory = \"increments\"");
    if (!s.keeps_start() && scene.places.contains("solver.incremental.shape_stiffness"))
        scene.warnings.push_back({scene.place("solver.incremental.shape_stiffness"),
                                  "solver.incremental.shape_stiffness has no effect",
                                  "it needs matter that never flows, with memory = \"start\""});
    const double spacing = scene.bodies.empty() ? 0 : spacing_of(scene, scene.bodies[0]);
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        const BodySpec& body = scene.bodies[i];
        if (body.flow_rate)
            refuse(scene, r, item("bodies", i) + ".flow_rate", "rate that varies in a body");
        if (body.refine || std::abs(spacing_of(scene, body) / spacing - 1) > 1e-9)
            r.mistake(scene.place(item("bodies", i)),
                      "the incremental method needs one spacing for all particles",
                      "give every body the same spacing, or choose the embedded method");
        if (body.enters_later() &&
            (s.keeps_rest_configuration() || (s.keeps_start() && never_flows(scene, body))))
            refuse(scene, r, item("bodies", i) + way_in(body),
                   "bodies that enter later while it keeps a rest configuration");
    }
    if (!scene.sinks.empty() && (s.keeps_rest_configuration() || s.keeps_start()))
        refuse(scene, r, "sinks", "sinks while it keeps a rest configuration");
}

void check_embedded(const Scene& scene, Reader& r) {
    if (!scene.sinks.empty()) refuse(scene, r, "sinks", "sinks");
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        const BodySpec& body = scene.bodies[i];
        if (body.enters_later())
            refuse(scene, r, item("bodies", i) + way_in(body), "bodies that enter later");
        const Material* m = material_of(scene, body);
        if (body.flow_rate && m && m->flow.rule != FlowRule::creep)
            refuse(scene, r, item("bodies", i) + ".flow_rate",
                   "rate that varies in a body unless its material creeps");
    }
}

void check_implicit(Scene& scene, Reader& r) {
    const ImplicitSettings& s = scene.solver.implicit;
    if (!scene.sinks.empty() && s.is_lazy())
        refuse(scene, r, "sinks", "sinks while rest vectors are kept (rest_update = \"lazy\")");
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        const BodySpec& body = scene.bodies[i];
        if (body.enters_later() && s.is_lazy())
            refuse(scene, r, item("bodies", i) + way_in(body),
                   "bodies that enter later while rest vectors are kept (rest_update = \"lazy\")");
        const Material* m = material_of(scene, body);
        if (body.flow_rate && m && m->flow.rule != FlowRule::creep)
            refuse(scene, r, item("bodies", i) + ".flow_rate",
                   "rate that varies in a body unless its material creeps");
    }
    // The system is linear only for linear stress.
    for (const Material& m : scene.materials)
        if (m.elastic.law != ElasticLaw::corotated_linear && m.elastic.law != ElasticLaw::fluid)
            scene.warnings.push_back(
                {place_of_material(scene, m),
                 "material " + m.name + " is " + to_string(m.elastic.law) +
                     "; the implicit method runs it with linear stress of the same moduli",
                 "write elastic.law = \"corotated-linear\" to say so; flow still goes by the "
                 "material's own stress"});
}

void check_materials(const Scene& scene, Reader& r) {
    for (const Material& m : scene.materials) check_material(scene, m, r);
}

}  // namespace

namespace {

void check_transfer(const Scene& scene, Reader& r) {
    const SolverSpec& s = scene.solver;
    if (s.sticky_walls == StickyWalls::surface && s.is_implicit())
        r.mistake(scene.place("solver.sticky_walls"),
                  "implicit steps hold sticky matter at nodes alone",
                  "write sticky_walls = \"nodes\", or integrator = \"explicit\"");
    if (s.transfer == Transfer::apic) return;
    if (s.kernel == 1)
        r.mistake(scene.place("solver.kernel"), "linear kernels need transfer = \"apic\"",
                  "write kernel = \"quadratic\", or transfer = \"apic\"");
    if (s.is_implicit())
        r.mistake(scene.place("solver.integrator"), "implicit steps need transfer = \"apic\"",
                  "write transfer = \"apic\", or integrator = \"explicit\"");
}

// Whether speed along a wall follows from viscosity or yield; grains are right with the defaults.
bool creeps_along_walls(const Material& m) {
    return m.elastic.law == ElasticLaw::fluid
               ? m.elastic.fluid_viscosity > 0
               : flows(m) && m.flow.rule != FlowRule::drucker_prager && !is_thin(m);
}

// Held nodes and transfers that return no velocity of the particles' own take momentum in every
// step, so that how fast matter passes a sticky wall depends on the step.
void warn_of_flow_along_walls(Scene& scene) {
    const SolverSpec& s = scene.solver;
    const bool nodes = s.sticky_walls == StickyWalls::nodes;
    const auto written = [&](const char* key) { return scene.places.contains(key); };
    if (s.is_implicit() || s.kernel == 1 || (!nodes && s.transfer == Transfer::aflip)) return;
    if (written(nodes ? "solver.sticky_walls" : "solver.transfer") ||
        written("solver.sticky_reach"))
        return;  // meant so
    const auto sticky =
        std::find_if(scene.colliders.begin(), scene.colliders.end(),
                     [](const ColliderSpec& c) { return c.contact == Contact::sticky; });
    if (sticky == scene.colliders.end() ||
        std::any_of(scene.bodies.begin(), scene.bodies.end(),
                    [](const BodySpec& b) { return b.thin.has_value(); }))
        return;
    for (const BodySpec& body : scene.bodies) {
        const Material* m = material_of(scene, body);
        if (!m || !creeps_along_walls(*m)) continue;
        const auto c = static_cast<std::size_t>(sticky - scene.colliders.begin());
        scene.warnings.push_back(
            {scene.place(item("colliders", c) + ".contact"),
             "how fast " + m->name + " flows along sticky " + sticky->name +
                 " depends on the time step",
             "where that matters, write transfer = \"aflip\" and sticky_walls = \"surface\" under "
             "[solver]; where it does not, sticky_walls = \"nodes\""});
        return;
    }
}

// Matter without a stress differential moves explicitly, and limits the step.
void name_explicit_matter(Scene& scene) {
    if (!scene.solver.is_implicit()) return;
    for (const Material& m : scene.materials) {
        if (is_thin(m) || !is_supported(m.elastic.law, m.flow.rule)) continue;
        const Tearing tearing{.on = scene.solver.tearing};
        if (has_differential(make_law<double>(m, tearing))) continue;
        scene.warnings.push_back(
            {place_of_material(scene, m),
             "material " + m.name +
                 (tearing.tears(m) ? " tears" : " is " + to_string(m.elastic.law)) +
                 " and has no stress differential; it moves explicitly within implicit steps, and "
                 "its stiffness still limits them",
             tearing.tears(m) ? "write solver.tearing = false"
                              : "implicit ones are fixed-corotated, hencky and neo-hookean"});
    }
}

}  // namespace

void check_grid_scene(Scene& scene, Reader& r) {
    check_transfer(scene, r);
    warn_of_flow_along_walls(scene);
    name_explicit_matter(scene);
    const auto of_region = [](const GripSpec& g) { return g.body.empty(); };
    if (scene.solver.resampling && std::any_of(scene.grips.begin(), scene.grips.end(), of_region))
        r.mistake(scene.place("grips"), "grips cannot hold matter that is resampled",
                  "hold groups of vertices, or write solver.resampling = false");
    if (!scene.pulls.empty()) refuse(scene, r, "pulls", "pulls");
    for (std::size_t i = 0; i < scene.colliders.size(); ++i)
        if (scene.colliders[i].pushed)
            refuse(scene, r, item("colliders", i) + ".pushed", "colliders that can be pushed");
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
        if (scene.bodies[i].refine)
            refuse(scene, r, item("bodies", i) + ".refine", "bodies of uneven spacing");
}

void check_incremental_scene(Scene& scene, Reader& r) {
    check_materials(scene, r);
    check_incremental(scene, r);
}

void check_embedded_scene(Scene& scene, Reader& r) {
    check_materials(scene, r);
    check_embedded(scene, r);
}

void check_implicit_scene(Scene& scene, Reader& r) {
    check_materials(scene, r);
    check_implicit(scene, r);
}

void validate_method(Scene& scene, Reader& r) {
    if (r.is_bad("solver") || r.is_bad("materials") || r.is_bad("bodies")) return;
    check_idle_settings(scene);
    row_of(scene.solver.method).check(scene, r);
}

}  // namespace knead
