#include "knead/scene/rheometer_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "knead/base/error.h"
#include "knead/base/parse_number.h"
#include "knead/base/suggest.h"
#include "knead/materials/parameters.h"
#include "knead/materials/presets.h"
#include "knead/materials/rheometer_plot.h"
#include "knead/materials/thin_rheometer.h"
#include "knead/scene/read_scene.h"
#include "knead/sim/methods.h"

namespace knead {

namespace {

using Request = RheometerRequest;

std::vector<double> decades(int first, int last, int parts) {
    std::vector<double> values;
    for (int k = first * parts; k <= last * parts; ++k)
        values.push_back(std::pow(10, static_cast<double>(k) / parts));
    return values;
}

[[noreturn]] void unknown(const std::string& what, const std::string& word,
                          const std::vector<std::string>& known, const std::string& remedy) {
    const std::string guess = did_you_mean(word, known);
    throw InputError({}, fmt::format("there is no {} \"{}\"", what, word),
                     guess.empty() ? remedy : guess);
}

Material preset(const std::string& name) {
    if (const Material* found = find_preset(name)) return *found;
    std::vector<std::string> names;
    for (const Material& m : material_presets()) names.push_back(m.name);
    unknown("material", name, names, "`knead materials` lists them");
}

template <class T>
T word(const std::optional<T>& parsed, const char* what, const std::string& text,
       const std::vector<std::string>& words) {
    if (parsed) return *parsed;
    unknown(what, text, words, fmt::format("one of {}", fmt::join(words, ", ")));
}

// --set key=value, as in a scene's material.
void change(Material& m, const std::string& assignment) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos)
        throw InputError({}, fmt::format("{}: no value", assignment),
                         "write it as in flow.yield_stress=50");
    const std::string key = assignment.substr(0, equals), value = assignment.substr(equals + 1);
    if (key == "elastic.law") {
        m.elastic.law = word(parse_elastic_law(value), "elastic law", value, elastic_law_words());
    } else if (key == "flow.rule") {
        m.flow.rule = word(parse_flow_rule(value), "flow rule", value, flow_rule_words());
    } else if (const Parameter* p = find_parameter(key)) {
        const auto at = std::find(p->words.begin(), p->words.end(), value);
        if (!p->words.empty() && at == p->words.end())
            unknown(key.c_str(), value, p->words, range_text(*p));
        const double a = p->words.empty() ? parse_number(value, key)
                                          : static_cast<double>(at - p->words.begin());
        if (!in_range(*p, a))
            throw InputError({}, fmt::format("{} is {:g}", key, a), "it must be " + range_text(*p));
        p->set(m, a);
    } else {
        std::vector<std::string> keys{"elastic.law", "flow.rule"};
        for (const Parameter& q : material_parameters()) keys.push_back(q.key);
        unknown("material parameter", key, keys, "`knead materials NAME` lists them");
    }
}

// One that a scene makes its bodies of: the one that is named, or the only one.
Material material_of_scene(const Request& o) {
    const Scene scene = read_scene(o.name);
    std::vector<std::string> names;
    for (const Material& m : scene.materials) {
        if (m.name == o.material || (o.material.empty() && scene.materials.size() == 1)) return m;
        names.push_back(m.name);
    }
    const std::string known = fmt::format("its materials: {}", fmt::join(names, ", "));
    if (o.material.empty())
        throw InputError({o.name}, "this scene has several materials",
                         "choose one (--material); " + known);
    unknown("material", o.material, names, known);
}

bool is_scene(const std::string& name) {
    return name.size() > 5 && name.substr(name.size() - 5) == ".toml";
}

Material wanted_material(const Request& o) {
    if (!is_scene(o.name) && !o.material.empty())
        throw InputError({"material"}, "chooses one of a scene, and this is no scene",
                         "leave it out, or give a scene file");
    Material m = is_scene(o.name) ? material_of_scene(o) : preset(o.name);
    for (const std::string& assignment : o.set) change(m, assignment);
    std::vector<Mistake> mistakes;
    for (const MaterialMistake& wrong : check_material(m))
        mistakes.push_back({{}, wrong.what, wrong.remedy});
    for (const std::string& assignment : o.set) {
        const Parameter* p = find_parameter(assignment.substr(0, assignment.find('=')));
        if (p && !p->used(m))
            mistakes.push_back(
                {{},
                 fmt::format("{} means nothing to {}: it is {} with flow rule {}", p->key, m.name,
                             to_string(m.elastic.law), to_string(m.flow.rule)),
                 "leave it out, or set flow.rule too"});
    }
    if (!mistakes.empty()) throw InputError(std::move(mistakes));
    return m;
}

double positive(double value, const char* what) {
    if (value > 0) return value;
    throw InputError({}, fmt::format("{} is {:g}", what, value), "it must be above 0");
}

std::vector<double> all_positive(const std::vector<double>& values, const char* what) {
    for (const double value : values) positive(value, what);
    return values;
}

Table measure_thin(const Material& m, const Request& o) {
    const ThinKind kind = o.kind.empty()      ? thin_kind(m)
                          : o.kind == "sheet" ? ThinKind::sheet
                                              : ThinKind::fibre;
    const double strain = o.strain.value_or(0.2);
    if (o.test == "pull") {
        if (strain <= -1 || strain == 0)
            throw InputError({}, fmt::format("strain is {:g}", strain),
                             "above 0 pulls; between -1 and 0 pushes");
        return pull_thin(m, kind, strain);
    }
    if (o.test == "compress") {
        if (!(positive(strain, "strain") < 1))
            throw InputError({}, fmt::format("strain is {:g}", strain), "it must be below 1");
        return compress_thin(m, kind, strain);
    }
    const double pressure = o.pressure.value_or(usual_pressure(m, kind));
    return shear_thin(m, kind, positive(strain, "strain"), positive(pressure, "pressure"));
}

void check_words(const Request& o) {
    std::vector<std::string> methods;
    for (const Method method : all_methods) methods.emplace_back(name_of(method));
    const auto known = [](const char* what, const std::string& text,
                          const std::vector<std::string>& words) {
        if (std::find(words.begin(), words.end(), text) == words.end())
            unknown(what, text, words, fmt::format("one of {}", fmt::join(words, ", ")));
    };
    known("test", o.test, rheometer_tests());
    known("method", o.method, methods);
    if (!o.kind.empty()) known("kind", o.kind, {"sheet", "fibre"});
}

// Sheets and fibres have tests of their own.
void check_test(const Material& m, const Request& o) {
    const auto& own = thin_tests();
    const bool for_thin = std::find(own.begin(), own.end(), o.test) != own.end();
    if (is_thin(m) && !for_thin)
        throw InputError(
            {}, fmt::format("{} is of sheets or curves: the test {} is not for it", m.name, o.test),
            fmt::format("its tests: {}", fmt::join(own, ", ")));
    if (!is_thin(m) && for_thin)
        throw InputError({}, fmt::format("the test {} is for sheets and curves", o.test),
                         fmt::format("{} is of volumes; try uniaxial or start-up", m.name));
    if (!is_thin(m) && !o.kind.empty())
        throw InputError({}, "a kind is for sheets and curves", "leave it out");
    if (is_thin(m) && o.method != name_of(Method::mpm))
        throw InputError({}, fmt::format("the method {} has no sheets and curves", o.method),
                         "leave it out");
}

Table measure(const Specimen& m, const Request& o) {
    if (is_thin(m)) return measure_thin(m, o);
    const bool grains = m.flow.rule == FlowRule::drucker_prager;
    const double pressure = o.pressure.value_or(grains ? 1000 : 0);
    if (pressure < 0) throw InputError({}, "pressure is below 0", "pressure pushes: 0 or more");
    const auto rates = [&](const std::vector<double>& otherwise) {
        return o.rates.empty() ? otherwise : all_positive(o.rates, "rates");
    };
    const auto strain = [&](double otherwise) { return o.strain.value_or(otherwise); };
    if (o.test == "steady-shear") return steady_shear(m, rates(decades(-3, 2, 4)), pressure);
    if (o.test == "start-up")
        return start_up(m, rates({0.1, 1, 10}), positive(strain(1), "strain"), pressure);
    if (o.test == "relaxation") {
        const double duration = o.duration.value_or(10);
        return relaxation(m, strain(0.5), positive(duration, "duration"), pressure);
    }
    if (o.test == "uniaxial") {
        const double pull = strain(0.5);
        if (pull <= -1 || pull == 0)
            throw InputError({}, fmt::format("strain is {:g}", pull),
                             "above 0 pulls; between -1 and 0 pushes");
        return uniaxial(m, rates({1}), pull, pressure);
    }
    const auto frequencies =
        o.frequencies.empty() ? decades(-2, 2, 2) : all_positive(o.frequencies, "frequency");
    return oscillatory(m, positive(strain(0.01), "strain"), frequencies, pressure);
}

}  // namespace

RheometerResult run_rheometer(const Request& request) {
    Request o = request;
    const Material m = wanted_material(o);
    if (o.test.empty()) o.test = is_thin(m) ? "pull" : "steady-shear";
    check_words(o);
    check_test(m, o);
    const LawForm form = o.method == name_of(Method::mpm) ? LawForm::grid : LawForm::points;
    return {m, o.test, measure({m, form}, o)};
}

}  // namespace knead
