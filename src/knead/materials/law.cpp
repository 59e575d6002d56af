#include "knead/materials/law.h"

#include <vector>

#include "knead/base/error.h"
#include "knead/materials/parameters.h"

namespace knead {

namespace {

template <class Real>
struct Candidate {
    bool (*fits)(const Material&, const Tearing&);
    Law<Real> (*make)(const Material&, const Tearing&);
};

template <class Real, class... L>
std::vector<Candidate<Real>> candidates(std::type_identity<std::variant<L...>>) {
    return {{&L::fits,
             [](const Material& m, const Tearing& t) -> Law<Real> { return L::of(m, t); }}...};
}

// Every law of the list.
template <class Real>
std::vector<Candidate<Real>> candidates() {
    return candidates<Real>(std::type_identity<Law<Real>>{});
}

}  // namespace

bool is_supported(ElasticLaw elastic, FlowRule flow) {
    Material m;
    m.elastic.law = elastic;
    m.flow.rule = flow;
    for (const auto& law : candidates<double>())
        if (law.fits(m, {})) return true;
    return false;
}

template <class Real>
Law<Real> make_law(const Material& m, const Tearing& tearing) {
    for (const auto& law : candidates<Real>())
        if (law.fits(m, tearing)) return law.make(m, tearing);
    std::string rules;
    for (const std::string& word : flow_rules_of(m.elastic.law))
        rules += (rules.empty() ? "" : ", ") + word;
    const std::string elastic = to_string(m.elastic.law);
    throw InputError({},
                     "material " + m.name + ": a " + elastic +
                         " material cannot have the flow rule " + to_string(m.flow.rule),
                     elastic + " goes with: " + rules);
}

template Law<float> make_law<float>(const Material&, const Tearing&);
template Law<double> make_law<double>(const Material&, const Tearing&);

}  // namespace knead
