#include "knead/scene/advice.h"

#include <algorithm>
#include <cmath>

namespace knead {

namespace {

const Material* material_after(const Model& model, const std::string& reason,
                               const std::string& words) {
    if (!reason.starts_with(words)) return nullptr;
    for (const Material& m : model.materials)
        if (m.name == reason.substr(words.size())) return &m;
    return nullptr;
}

// What the root of gives the stable step: on the grid the stiffest of all strains, on points that
// of a plane wave.
double stiffness(Method method, double bulk, double shear) {
    return method == Method::mpm ? std::max(3 * bulk, 2 * shear) : bulk + 4.0 / 3 * shear;
}

// A fourth of the bulk modulus where it is most of the stiffness, else of both.
Advice softer(Method method, const Material& m) {
    const double bulk = m.elastic.bulk_modulus, shear = m.elastic.shear_modulus;
    if (m.elastic.law == ElasticLaw::fluid || bulk > 4 * shear)
        return {"a fourth of elastic.bulk_modulus of " + m.name,
                std::sqrt(stiffness(method, bulk, shear) / stiffness(method, bulk / 4, shear))};
    return {"a fourth of the moduli of " + m.name, 2};
}

}  // namespace

std::vector<Advice> advice(const Model& model, const std::vector<DtLimit>& limits) {
    std::vector<Advice> all;
    if (limits.empty()) return all;
    const double least = limits.front().dt;
    // The next limit bounds what can be gained.
    const double room = limits.size() > 1 ? limits[1].dt / least : 1e9;
    const std::string& reason = limits.front().reason;
    if (const Material* m = material_after(model, reason, "stiffness of "))
        all.push_back(softer(model.method(), *m));
    else if (const Material* v = material_after(model, reason, "viscosity of "))
        all.push_back({"half the viscosity of " + v->name, 2});
    else if (reason.starts_with("time.max_dt"))
        all.push_back({"without time.max_dt", room});
    else if (reason.starts_with("speed of"))
        all.push_back({"half the " + reason, 2});
    for (Advice& a : all) a.gain = std::min(a.gain, room);
    std::erase_if(all, [](const Advice& a) { return !(a.gain > 1.1); });
    return all;
}

}  // namespace knead
