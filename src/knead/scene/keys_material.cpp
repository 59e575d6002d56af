// The keys of materials: a preset to start from, then the parameters of materials/parameters.h.
#include <algorithm>

#include "knead/base/suggest.h"
#include "knead/materials/parameters.h"
#include "knead/materials/presets.h"
#include "knead/scene/keys.h"

namespace knead {

namespace {

// A value in a material's table with its dotted key, as in "flow.yield_stress".
struct Leaf {
    std::string key;
    const Entry* entry;
};

bool is_group(const std::string& key) {
    return key == "elastic" || key == "flow" || key == "tear" || key == "thin";
}

bool is_word(const std::string& key) {
    return key == "preset" || key == "source" || key == "elastic.law" || key == "flow.rule";
}

std::vector<Leaf> leaves_of(const Value& table, Reader& r) {
    std::vector<Leaf> leaves;
    for (const Entry& e : table.entries) {
        if (!is_group(e.key)) {
            leaves.push_back({e.key, &e});
            continue;
        }
        const Reader::Scope scope(r, e.key, e.value.place);
        if (!r.expect(e.value, Value::Kind::table)) continue;
        for (const Entry& inner : e.value.entries)
            leaves.push_back({e.key + "." + inner.key, &inner});
    }
    return leaves;
}

const Leaf* find(const std::vector<Leaf>& leaves, const std::string& key) {
    for (const Leaf& leaf : leaves)
        if (leaf.key == key) return &leaf;
    return nullptr;
}

std::string last_part(const std::string& key) { return key.substr(key.rfind('.') + 1); }

// The right key for a wrong one: in its own group first, then wherever such a name exists.
std::string guess_key(const std::string& key) {
    std::vector<std::string> full{"preset", "source", "elastic.law", "flow.rule"}, parts;
    for (const Parameter& p : material_parameters()) full.push_back(p.key);
    std::vector<std::string> group;
    const std::string prefix = key.substr(0, key.find('.') + 1);
    for (const std::string& k : full) {
        parts.push_back(last_part(k));
        if (!prefix.empty() && k.starts_with(prefix)) group.push_back(k);
    }
    std::string guess = nearest(key, group);
    if (!guess.empty()) return guess;
    const std::string part = nearest(last_part(key), parts);
    if (part.empty()) return nearest(key, full);
    const auto at = std::find(parts.begin(), parts.end(), part);
    return full[static_cast<std::size_t>(at - parts.begin())];
}

void unknown_leaf(const Leaf& leaf, Reader& r) {
    const std::string guess = guess_key(leaf.key);
    const std::string table = r.path();
    const Reader::Scope scope(r, leaf.key, leaf.entry->value.place);
    r.mistake(
        leaf.entry->place, "unknown key " + to_short_text(Value::of(leaf.key)) + " in " + table,
        guess.empty() ? "knead materials lists what there is" : "did you mean \"" + guess + "\"?");
}

void read_preset(Material& material, const Value& value, Reader& r) {
    std::vector<std::string> names;
    for (const Material& m : material_presets()) names.push_back(m.name);
    const auto i = r.read_word(value, names);
    if (!i) return;
    std::string name = std::move(material.name);
    material = material_presets()[*i];
    material.name = std::move(name);
}

void read_words(Material& material, const std::vector<Leaf>& leaves, Reader& r) {
    const auto with = [&](const char* key, const auto& read) {
        const Leaf* leaf = find(leaves, key);
        if (!leaf) return;
        const Reader::Scope scope(r, key, leaf->entry->value.place);
        read(leaf->entry->value);
    };
    with("preset", [&](const Value& v) { read_preset(material, v, r); });
    with("source", [&](const Value& v) { r.read(material.source, v); });
    with("elastic.law", [&](const Value& v) {
        if (const auto i = r.read_word(v, elastic_law_words()))
            material.elastic.law = *parse_elastic_law(elastic_law_words()[*i]);
    });
    with("flow.rule", [&](const Value& v) {
        if (const auto i = r.read_word(v, flow_rule_words()))
            material.flow.rule = *parse_flow_rule(flow_rule_words()[*i]);
    });
}

Range range_of(const Parameter& p) { return {p.min, p.max, p.above_min, false}; }

std::string unit_of(const Parameter& p) {
    return p.unit == "1" || p.unit == "yes/no" || !p.words.empty() ? "" : p.unit;
}

std::optional<double> read_parameter(const Parameter& p, const Value& value, Reader& r) {
    if (p.unit == "yes/no") {
        bool yes = false;
        if (!r.read(yes, value)) return {};
        return yes ? 1.0 : 0.0;
    }
    if (!p.words.empty()) {
        const auto i = r.read_word(value, p.words);
        return i ? std::optional(static_cast<double>(*i)) : std::nullopt;
    }
    double a = 0;
    if (!r.read(a, value, range_of(p), unit_of(p))) return {};
    return a;
}

// Young's modulus and Poisson's ratio say together what bulk and shear modulus say; a pair counts,
// never one of each, and a preset may give the other half.
void apply_moduli(Material& material, const std::vector<Leaf>& leaves, std::optional<double> young,
                  std::optional<double> poisson, const Value& table, Reader& r) {
    if (!young && !poisson) return;
    const char* given = young ? "elastic.young_modulus" : "elastic.poisson_ratio";
    for (const char* other : {"elastic.bulk_modulus", "elastic.shear_modulus"}) {
        const Leaf* leaf = find(leaves, other);
        if (leaf)
            return r.mistake(leaf->entry->place, r.path() + " has both " + other + " and " + given,
                             "give bulk and shear modulus, or Young's modulus and Poisson's ratio");
    }
    const bool whole = young && poisson;
    if (!whole && !(material.elastic.bulk_modulus > 0 && material.elastic.shear_modulus > 0))
        return r.missing_key(table, young ? "elastic.poisson_ratio" : "elastic.young_modulus");
    set_young_poisson(material, young ? *young : young_modulus(material),
                      poisson ? *poisson : poisson_ratio(material));
}

void check_whole(const Material& material, const std::vector<Leaf>& leaves, const Value& table,
                 Reader& r) {
    for (const MaterialMistake& m : check_material(material)) {
        const Leaf* leaf = find(leaves, m.key);
        const Parameter* p = find_parameter(m.key);
        if (p && !leaf && !find(leaves, "preset")) {
            const Value* group = table.find(m.key.substr(0, m.key.find('.')));
            r.missing_key(group ? *group : table, m.key,
                          to_string(range_of(*p)) + " [" + unit_of(*p) + "]");
            continue;
        }
        const std::string key = m.what.starts_with(m.key) ? "" : m.key + ": ";
        r.mistake(leaf ? leaf->entry->value.place : table.place, r.path() + "." + key + m.what,
                  m.remedy);
    }
}

void warn_of_idle_keys(const Material& material, const std::vector<Leaf>& leaves, const Reader& r,
                       std::vector<Mistake>& warnings) {
    for (const Leaf& leaf : leaves) {
        const Parameter* p = find_parameter(leaf.key);
        if (p && !p->used(material))
            warnings.push_back({leaf.entry->place, r.path() + "." + leaf.key + " has no effect",
                                "elastic.law = \"" + to_string(material.elastic.law) +
                                    "\" with flow.rule = \"" + to_string(material.flow.rule) +
                                    "\" does not read it"});
    }
}

}  // namespace

void read_material(Material& material, const Value& value, Reader& r,
                   std::vector<Mistake>& warnings) {
    if (!r.expect(value, Value::Kind::table)) return;
    const std::vector<Leaf> leaves = leaves_of(value, r);
    read_words(material, leaves, r);
    std::optional<double> young, poisson;
    for (const Leaf& leaf : leaves) {
        if (is_word(leaf.key)) continue;
        const Parameter* p = find_parameter(leaf.key);
        if (!p) {
            unknown_leaf(leaf, r);
            continue;
        }
        const Reader::Scope scope(r, leaf.key, leaf.entry->value.place);
        const auto a = read_parameter(*p, leaf.entry->value, r);
        if (!a) continue;
        if (leaf.key == "elastic.young_modulus")
            young = a;
        else if (leaf.key == "elastic.poisson_ratio")
            poisson = a;
        else
            p->set(material, *a);
    }
    apply_moduli(material, leaves, young, poisson, value, r);
    if (r.is_bad(r.path())) return;
    check_whole(material, leaves, value, r);
    warn_of_idle_keys(material, leaves, r, warnings);
}

// Only what the law and the rule read: the rest has no effect.
Value write_material(const Material& material) {
    Value out;
    if (!material.source.empty()) out.add("source", Value::of(material.source));
    const auto put = [&](const std::string& key, Value value) {
        const std::size_t dot = key.find('.');
        if (dot == std::string::npos)
            out.add(key, std::move(value));
        else
            out.at_or_new(key.substr(0, dot), {}).add(key.substr(dot + 1), std::move(value));
    };
    for (const Parameter& p : material_parameters()) {
        if (p.key == "elastic.bulk_modulus")
            put("elastic.law", Value::of(to_string(material.elastic.law)));
        if (p.key == "flow.yield_stress")
            put("flow.rule", Value::of(to_string(material.flow.rule)));
        if (p.derived || !p.used(material)) continue;
        const double a = p.get(material);
        put(p.key, !p.words.empty()     ? Value::of(value_text(p, a))
                   : p.unit == "yes/no" ? Value::of(a != 0)
                                        : Value::of(a));
    }
    return out;
}

std::vector<TableInfo> material_tables() {
    TableInfo info{
        "materials.NAME", "a material: a preset with changes, or all of its numbers", {}};
    const auto words = [](const std::vector<std::string>& known) {
        std::string text = "one of";
        for (const std::string& w : known) text += (text.size() > 6 ? ", \"" : " \"") + w + "\"";
        return text;
    };
    info.keys.push_back({"preset", "text", "", "none", "",
                         "the material to start from; `knead materials` lists them"});
    info.keys.push_back({"source", "text", "", "the preset's", "", "where the numbers come from"});
    const Material plain;
    for (const Parameter& p : material_parameters()) {
        if (p.key == "elastic.bulk_modulus")
            info.keys.push_back({"elastic.law", words(elastic_law_words()), "",
                                 "\"" + to_string(plain.elastic.law) + "\"", "",
                                 "elastic law: how it springs back"});
        if (p.key == "flow.yield_stress")
            info.keys.push_back({"flow.rule", words(flow_rule_words()), "",
                                 "\"" + to_string(plain.flow.rule) + "\"", "",
                                 "flow rule: how it flows"});
        const bool yes_no = p.unit == "yes/no", is_word = !p.words.empty();
        const double a = p.get(plain);
        const std::string fallback = is_word  ? "\"" + value_text(p, a) + "\""
                                     : yes_no ? (a != 0 ? "true" : "false")
                                              : to_toml_inline(to_value(a));
        const std::string type = is_word ? words(p.words) : yes_no ? "true or false" : "number";
        info.keys.push_back({p.key, type, unit_of(p), p.derived || !in_range(p, a) ? "" : fallback,
                             is_word || yes_no ? "" : to_string(range_of(p)), p.doc});
    }
    return {info};
}

}  // namespace knead
