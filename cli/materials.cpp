// knead materials: the presets, or one of them with every parameter, its unit and its source.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "knead/base/error.h"
#include "knead/base/suggest.h"
#include "knead/materials/parameters.h"
#include "knead/materials/presets.h"

namespace knead::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::string name;
    bool json = false;
};

const Material& preset(const std::string& name) {
    if (const Material* found = find_preset(name)) return *found;
    std::vector<std::string> names;
    for (const Material& m : material_presets()) names.push_back(m.name);
    const std::string guess = did_you_mean(name, names);
    throw InputError({}, fmt::format("there is no material \"{}\"", name),
                     guess.empty() ? "`knead materials` lists them" : guess);
}

std::string with_unit(const Parameter& p, double value) {
    const bool plain = p.unit == "1" || p.unit == "yes/no" || !p.words.empty();
    return value_text(p, value) + (plain ? "" : " " + p.unit);
}

Json as_json(const Material& m) {
    Json parameters = Json::array();
    for (const Parameter& p : material_parameters())
        if (p.used(m))
            parameters.push_back(
                {{"key", p.key},
                 {"value", p.words.empty() ? Json(p.get(m)) : Json(value_text(p, p.get(m)))},
                 {"unit", p.unit},
                 {"doc", p.doc}});
    return {{"name", m.name},
            {"elastic.law", to_string(m.elastic.law)},
            {"flow.rule", to_string(m.flow.rule)},
            {"parameters", parameters},
            {"source", m.source},
            {"compared", m.compared},
            {"color", fmt::format("#{:06x}", m.color)}};
}

// Text broken into lines of at most `width`.
std::string wrapped(const std::string& text, size_t width, const std::string& indent) {
    std::string result = indent, line;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find(' ', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        if (!line.empty() && line.size() + 1 + word.size() > width) {
            result += line + "\n" + indent;
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
        begin = end + 1;
    }
    return result + line;
}

void print_one(const Material& m) {
    fmt::print("{}\n\n", m.name);
    fmt::print("  {:<26}{}\n", "elastic.law", to_string(m.elastic.law));
    fmt::print("  {:<26}{}\n", "flow.rule", to_string(m.flow.rule));
    for (const Parameter& p : material_parameters())
        if (p.used(m)) fmt::print("  {:<26}{:<22}{}\n", p.key, with_unit(p, p.get(m)), p.doc);
    fmt::print("  {:<26}#{:<21}{}\n", "color", fmt::format("{:06x}", m.color),
               "in pictures, unless the body has one");
    fmt::print("\nwhere the numbers come from\n{}\n", wrapped(m.source, 90, "  "));
    fmt::print("\nwhat they were compared with\n{}\n", wrapped(m.compared, 90, "  "));
}

void print_all() {
    fmt::print("{:<18}{:<18}{:<18}{:>10}{:>12}{:>12}{:>12}\n", "name", "elastic law", "flow rule",
               "density", "bulk", "shear", "yield");
    fmt::print("{:<54}{:>10}{:>12}{:>12}{:>12}\n", "", "kg/m3", "Pa", "Pa", "Pa");
    for (const Material& m : material_presets()) {
        const bool yields = find_parameter("flow.yield_stress")->used(m);
        fmt::print(
            "{:<18}{:<18}{:<18}{:>10.4g}{:>12.4g}{:>12}{:>12}\n", m.name, to_string(m.elastic.law),
            to_string(m.flow.rule), m.density, m.elastic.bulk_modulus,
            m.elastic.shear_modulus > 0 ? fmt::format("{:.4g}", m.elastic.shear_modulus) : "-",
            yields ? fmt::format("{:.4g}", m.flow.yield_stress) : "-");
    }
    fmt::print("\n`knead materials NAME` shows every parameter of one and where it comes from.\n");
}

int materials(const Options& o) {
    if (!o.name.empty() && o.json) {
        fmt::print("{}\n", as_json(preset(o.name)).dump(2));
    } else if (!o.name.empty()) {
        print_one(preset(o.name));
    } else if (o.json) {
        Json all = Json::array();
        for (const Material& m : material_presets()) all.push_back(as_json(m));
        fmt::print("{}\n", all.dump(2));
    } else {
        print_all();
    }
    return 0;
}

}  // namespace

Command command_materials() {
    auto o = std::make_shared<Options>();
    return {"materials", "list the material presets, or all there is to know about one",
            "knead materials\nknead materials shaving-cream\nknead materials sand --json",
            [o](Arguments& a) {
                a.positional("MATERIAL", o->name, "a preset; all of them when left out", false);
                a.flag("--json", o->json, "as JSON");
            },
            [o] { return materials(*o); }};
}

}  // namespace knead::cli
