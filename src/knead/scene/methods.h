// What a scene may say about each method: one row a method, with its keys, its defaults and its
// checks. Names, settings and factories stand in sim/methods.h and sim/make_solver.cpp.
#pragma once

#include "knead/scene/keys.h"

namespace knead {

struct MethodRow {
    Method method;
    std::string about;                     // how matter moves, a phrase
    std::optional<Key<SolverSpec>> table;  // [solver.NAME], where it has settings of its own
    std::optional<TableInfo> reference;    // of that table
    MethodSettings (*settings)(const SolverSpec&);
    void (*fill_in)(Scene&);         // defaults that follow from the scene
    void (*check)(Scene&, Reader&);  // mistakes and warnings
};

// In the order of all_methods.
const std::vector<MethodRow>& method_table();
const MethodRow& row_of(Method method);

// The settings of the scene's method.
MethodSettings settings_of(const Scene& scene);

// The explicit pass between reading and checking: defaults that follow from the scene.
void fill_in_settings(Scene& scene);

}  // namespace knead
