#include "knead/scene/methods.h"

#include <stdexcept>

#include "knead/scene/validate_method.h"

namespace knead {

namespace {

template <class T>
TableInfo reference(const char* path, const char* doc, const Keys<T>& keys) {
    TableInfo info{path, doc, {}};
    for (const auto& key : keys) info.keys.push_back(key.info);
    return info;
}

std::vector<BodyMatter> matter_of(const Scene& scene) {
    std::vector<BodyMatter> bodies;
    for (const BodySpec& body : scene.bodies)
        for (const Material& m : scene.materials)
            if (m.name == body.material) bodies.push_back({m, body.enters_later()});
    return bodies;
}

// Between particles, the finest body's [m].
double least_spacing(const Scene& scene) {
    double least = 0;
    for (const BodySpec& b : scene.bodies)
        if (!(least > 0) || spacing_of(scene, b) < least) least = spacing_of(scene, b);
    return least;
}

template <class Settings>
Key<SolverSpec> settings_table(const char* name, Settings SolverSpec::*member,
                               const Keys<Settings>& (*keys)(), bool (*in_use)(const SolverSpec&)) {
    using K = KeyOf<SolverSpec>;
    Key<SolverSpec> key = K::only_when(in_use, K::table(name, member, keys, ""));
    key.info.doc = std::string("settings of the ") + name + " method";
    return key;
}

MethodRow mpm_row() {
    return {
        Method::mpm,
        "on a grid",
        {},
        {},
        [](const SolverSpec& s) -> MethodSettings { return static_cast<const MpmSettings&>(s); },
        [](Scene&) {},
        check_grid_scene};
}

MethodRow incremental_row() {
    return {Method::incremental,
            "by points that keep their deformation gradient",
            settings_table("incremental", &SolverSpec::incremental, &incremental_keys,
                           [](const SolverSpec& s) { return s.method == Method::incremental; }),
            reference("solver.incremental",
                      "points that keep their deformation gradient [Gerszewski 2009]",
                      incremental_keys()),
            [](const SolverSpec& s) -> MethodSettings { return s.incremental; },
            [](Scene& scene) {
                scene.solver.incremental.spacing = least_spacing(scene);
                fill_in(scene.solver.incremental, matter_of(scene));
            },
            check_incremental_scene};
}

MethodRow embedded_row() {
    return {Method::embedded,
            "by points that keep rest vectors to their neighbours",
            settings_table("embedded", &SolverSpec::embedded, &embedded_keys,
                           [](const SolverSpec& s) { return s.method == Method::embedded; }),
            reference("solver.embedded",
                      "points that keep rest vectors to their neighbours [Jones 2014]",
                      embedded_keys()),
            [](const SolverSpec& s) -> MethodSettings { return s.embedded; },
            [](Scene& scene) { scene.solver.embedded.spacing = least_spacing(scene); },
            check_embedded_scene};
}

MethodRow implicit_row() {
    return {Method::implicit,
            "by points with one linear solve a step",
            settings_table("implicit", &SolverSpec::implicit, &implicit_keys,
                           [](const SolverSpec& s) { return s.method == Method::implicit; }),
            reference("solver.implicit", "points with one linear solve a step [Zhou 2013]",
                      implicit_keys()),
            [](const SolverSpec& s) -> MethodSettings { return s.implicit; },
            [](Scene& scene) { scene.solver.implicit.spacing = least_spacing(scene); },
            check_implicit_scene};
}

MethodRow make_row(Method method) {
    switch (method) {
        case Method::mpm:
            return mpm_row();
        case Method::incremental:
            return incremental_row();
        case Method::embedded:
            return embedded_row();
        case Method::implicit:
            return implicit_row();
    }
    throw std::logic_error("a method without a row");
}

}  // namespace

const std::vector<MethodRow>& method_table() {
    static const std::vector<MethodRow> table = [] {
        std::vector<MethodRow> rows;
        for (const Method method : all_methods) rows.push_back(make_row(method));
        return rows;
    }();
    return table;
}

const MethodRow& row_of(Method method) { return method_table()[static_cast<std::size_t>(method)]; }

MethodSettings settings_of(const Scene& scene) {
    return row_of(scene.solver.method).settings(scene.solver);
}

void fill_in_settings(Scene& scene) { row_of(scene.solver.method).fill_in(scene); }

}  // namespace knead
