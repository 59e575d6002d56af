#include "knead/materials/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "knead/materials/law.h"

namespace knead {

namespace {

using M = const Material&;

bool always(M) { return true; }
bool solid(M m) { return m.elastic.law != ElasticLaw::fluid; }
bool fluid(M m) { return m.elastic.law == ElasticLaw::fluid; }
bool thin(M m) { return is_thin(m); }
bool neo_hookean(M m) { return m.elastic.law == ElasticLaw::neo_hookean; }
bool herschel_bulkley(M m) { return m.flow.rule == FlowRule::herschel_bulkley; }
bool drucker_prager(M m) { return m.flow.rule == FlowRule::drucker_prager; }
bool creep(M m) { return m.flow.rule == FlowRule::creep; }
bool yields(M m) { return m.flow.rule == FlowRule::von_mises || herschel_bulkley(m) || creep(m); }

// One row: a member of Material, or of one of its parts.
#define NUMBER(key, member, unit, min, max, above, used, doc)                 \
    Parameter {                                                               \
        key, unit, doc, min, max, above, false, [](M m) { return m.member; }, \
            [](Material& m, double a) { m.member = a; }, used                 \
    }

std::vector<Parameter> elastic_rows() {
    return {
        NUMBER("density", density, "kg/m3", 0, 1e5, true, always, "mass per volume, at rest"),
        NUMBER("elastic.bulk_modulus", elastic.bulk_modulus, "Pa", 0, 1e13, true, always,
               "resistance to a change of volume"),
        NUMBER("elastic.shear_modulus", elastic.shear_modulus, "Pa", 0, 1e13, true, solid,
               "resistance to a change of shape"),
        Parameter{"elastic.young_modulus", "Pa",
                  "with elastic.poisson_ratio, instead of bulk and shear modulus", 0, 1e13, true,
                  true, young_modulus,
                  [](Material& m, double a) { set_young_poisson(m, a, poisson_ratio(m)); }, solid},
        Parameter{"elastic.poisson_ratio", "1",
                  "with elastic.young_modulus, instead of bulk and shear modulus", -0.99, 0.4999,
                  false, true, poisson_ratio,
                  [](Material& m, double a) { set_young_poisson(m, young_modulus(m), a); }, solid},
        NUMBER("elastic.fluid_exponent", elastic.fluid_exponent, "1", 2, 12, false, fluid,
               "whole exponent n of the pressure K/n (J^-n - 1)"),
        NUMBER("elastic.fluid_viscosity", elastic.fluid_viscosity, "Pa s", 0, 1e9, false, fluid,
               "Newtonian viscosity"),
    };
}

std::vector<Parameter> flow_rows() {
    return {
        NUMBER("flow.yield_stress", flow.yield_stress, "Pa", 0, 1e12, false, yields,
               "uniaxial stress at which flow begins; for creep, norm of the Piola stress"),
        NUMBER("flow.viscosity", flow.viscosity, "Pa s^exponent", 0, 1e12, false, herschel_bulkley,
               "stress above yield at unit rate; 0 is perfect plasticity"),
        NUMBER("flow.exponent", flow.exponent, "1", 0.02, 20, false, herschel_bulkley,
               "below 1 thins with shear, above 1 thickens"),
        NUMBER("flow.friction_angle", flow.friction_angle, "degrees", 0, 89, false, drucker_prager,
               "internal friction, after all hardening"),
        Parameter{
            "flow.cone",
            "word",
            "which test friction_angle is that of: triaxial compression, or shear as in "
            "heaps, slopes and shear boxes",
            0,
            1,
            false,
            false,
            [](M m) { return m.flow.cone == Cone::shear ? 1.0 : 0.0; },
            [](Material& m, double a) { m.flow.cone = a != 0 ? Cone::shear : Cone::triaxial; },
            drucker_prager,
            {"triaxial", "shear"}},
        NUMBER("flow.hardening_gain", flow.hardening_gain, "degrees", 0, 90, false, drucker_prager,
               "growth of the friction angle with accumulated flow"),
        NUMBER("flow.hardening_decay", flow.hardening_decay, "1", 0, 100, false, drucker_prager,
               "decay rate of that growth over the accumulated flow"),
        NUMBER("flow.hardening_start", flow.hardening_start, "degrees", 0, 89, false,
               drucker_prager, "how far the friction angle starts below friction_angle"),
        NUMBER("flow.creep_rate", flow.creep_rate, "1", 0, 1e12, false, creep,
               "fraction of the strain that flows in creep_interval, far above yield; in Pa with "
               "creep_divided"),
        NUMBER("flow.creep_interval", flow.creep_interval, "s", 0, 1e6, false, creep,
               "time to which creep_rate refers; 0: one step, whatever its length"),
        NUMBER("flow.creep_hardening", flow.creep_hardening, "1/s", -1e9, 1e9, false, creep,
               "growth of the yield stress with stress times time; below 0 it softens"),
        Parameter{
            "flow.creep_divided", "yes/no",
            "divide creep_rate by the stress, so that matter is solid in impacts (cornstarch)", 0,
            1, false, false, [](M m) { return m.flow.creep_divided ? 1.0 : 0.0; },
            [](Material& m, double a) { m.flow.creep_divided = a != 0; }, creep},
        NUMBER("flow.creep_volume_low", flow.creep_volume_low, "1", 0, 10, false, creep,
               "|ln J| above which volume change begins to flow"),
        NUMBER("flow.creep_volume_high", flow.creep_volume_high, "1", 0, 10, true, creep,
               "|ln J| above which volume change flows as freely as shape"),
        NUMBER("tear.threshold", tear.threshold, "1", 0, 1e9, false, neo_hookean,
               "plastic strain (norm of dev C_p) at which it tears; 0: never"),
        NUMBER("tear.recovery_time", tear.recovery_time, "s", 0, 1e9, false, neo_hookean,
               "how long a tear takes to heal"),
    };
}

std::vector<Parameter> thin_rows() {
    return {
        NUMBER("thin.compression", thin.compression, "Pa", 0, 1e13, false, thin,
               "stiffness across a sheet: what layers in contact press with; sheets need it"),
        NUMBER("thin.stretch", thin.stretch, "Pa", 0, 1e13, false, thin,
               "stiffness along a fibre; curves need it"),
        NUMBER("thin.shear", thin.shear, "Pa", 0, 1e13, false, thin,
               "stiffness of contacts against sliding; friction needs it"),
        NUMBER("thin.friction_angle", thin.friction_angle, "degrees", 0, 89, false, thin,
               "friction between layers or strands"),
        NUMBER("thin.sheet_bending", thin.sheet_bending, "N m", 0, 1e9, false, thin,
               "resistance of a sheet to bending: moment per width and curvature, E t^3 / 12 (1 - "
               "nu^2) of a solid one; 0: none, as published"),
        NUMBER("thin.fibre_bending", thin.fibre_bending, "N m2", 0, 1e9, false, thin,
               "resistance of a curve to bending: moment per curvature, E pi r^4 / 4 of a solid "
               "one; 0: none, as published"),
        NUMBER("thin.damping", thin.damping, "1", 0, 1, false, thin,
               "damping of APIC's shear modes in each step, in place of solver.damping"),
        NUMBER("thin.thickness", thin.thickness, "m", 0, 10, false, thin,
               "of sheets whose body gives none; 0: the default of bodies"),
        NUMBER("thin.radius", thin.radius, "m", 0, 10, false, thin,
               "of curves whose body gives none; 0: the default of bodies"),
        Parameter{"thin.whole_volume", "yes/no",
                  "elements bear stress with all of their volume; no: with their own share of it, "
                  "a fourth in sheets and a third in curves, as published",
                  0, 1, false, false, [](M m) { return m.thin.whole_volume ? 1.0 : 0.0; },
                  [](Material& m, double a) { m.thin.whole_volume = a != 0; }, thin},
    };
}
#undef NUMBER

template <class Enum>
std::optional<Enum> parse(std::string_view word, const std::vector<std::string>& words) {
    const auto at = std::find(words.begin(), words.end(), word);
    if (at == words.end()) return std::nullopt;
    return static_cast<Enum>(at - words.begin());
}

void check_ranges(M m, std::vector<MaterialMistake>& mistakes) {
    for (const Parameter& p : material_parameters())
        if (!p.derived && p.used(m) && !in_range(p, p.get(m)))
            mistakes.push_back(
                {p.key, fmt::format("{} is {:g}", p.key, p.get(m)), "it must be " + range_text(p)});
}

void check_pairs(M m, std::vector<MaterialMistake>& mistakes) {
    const double n = m.elastic.fluid_exponent;
    if (fluid(m) && n != std::floor(n))
        mistakes.push_back({"elastic.fluid_exponent",
                            fmt::format("elastic.fluid_exponent is {:g}", n),
                            "it must be a whole number"});
    if (solid(m) && m.elastic.bulk_modulus > 0 && m.elastic.shear_modulus > 0 &&
        poisson_ratio(m) > 0.49999)
        mistakes.push_back({"elastic.bulk_modulus",
                            fmt::format("bulk modulus {:g} Pa is too far above shear modulus {:g} "
                                        "Pa: the material is all but incompressible",
                                        m.elastic.bulk_modulus, m.elastic.shear_modulus),
                            "keep the bulk modulus below 40000 times the shear modulus"});
    if (creep(m) && !m.flow.creep_divided && m.flow.creep_rate > 1)
        mistakes.push_back({"flow.creep_rate",
                            fmt::format("flow.creep_rate is {:g}", m.flow.creep_rate),
                            "it is a share between 0 and 1, unless flow.creep_divided is set"});
    if (creep(m) && m.flow.creep_volume_low >= m.flow.creep_volume_high)
        mistakes.push_back({"flow.creep_volume_low",
                            "flow.creep_volume_low is not below flow.creep_volume_high",
                            "lower the one or raise the other"});
    if (drucker_prager(m) && m.flow.cone == Cone::shear && m.flow.friction_angle > 60)
        mistakes.push_back({"flow.friction_angle",
                            fmt::format("flow.friction_angle is {:g}", m.flow.friction_angle),
                            "in shear no cone is steeper than 60 degrees"});
    if (drucker_prager(m) && m.flow.hardening_start > m.flow.friction_angle)
        mistakes.push_back({"flow.hardening_start",
                            "flow.hardening_start is above flow.friction_angle",
                            "friction starts at friction_angle - hardening_start, at least 0"});
}

}  // namespace

const std::vector<Parameter>& material_parameters() {
    static const std::vector<Parameter> rows = [] {
        std::vector<Parameter> all = elastic_rows();
        for (Parameter& p : flow_rows()) all.push_back(std::move(p));
        for (Parameter& p : thin_rows()) all.push_back(std::move(p));
        return all;
    }();
    return rows;
}

const Parameter* find_parameter(std::string_view key) {
    for (const Parameter& p : material_parameters())
        if (p.key == key) return &p;
    return nullptr;
}

bool in_range(const Parameter& p, double value) {
    return value >= p.min && value <= p.max && !(p.above_min && value == p.min);
}

std::string range_text(const Parameter& p) {
    if (!p.words.empty()) return fmt::format("one of {}", fmt::join(p.words, ", "));
    const std::string unit = p.unit == "1" || p.unit == "yes/no" ? "" : " " + p.unit;
    if (p.above_min) return fmt::format("above {:g} and at most {:g}{}", p.min, p.max, unit);
    return fmt::format("between {:g} and {:g}{}", p.min, p.max, unit);
}

std::string value_text(const Parameter& p, double value) {
    if (!p.words.empty()) return p.words[static_cast<std::size_t>(value)];
    if (p.unit == "yes/no") return value != 0 ? "yes" : "no";
    return fmt::format("{:.6g}", value);
}

void set_young_poisson(Material& m, double E, double nu) {
    m.elastic.bulk_modulus = E / (3 * (1 - 2 * nu));
    m.elastic.shear_modulus = E / (2 * (1 + nu));
}

double young_modulus(const Material& m) {
    const double K = m.elastic.bulk_modulus, G = m.elastic.shear_modulus;
    return G == 0 ? 0 : 9 * K * G / (3 * K + G);
}

double poisson_ratio(const Material& m) {
    const double K = m.elastic.bulk_modulus, G = m.elastic.shear_modulus;
    return K == 0 && G == 0 ? 0 : (3 * K - 2 * G) / (2 * (3 * K + G));
}

const std::vector<std::string>& elastic_law_words() {
    static const std::vector<std::string> words{"fixed-corotated",  "neo-hookean", "hencky",
                                                "corotated-linear", "fluid",       "thin"};
    return words;
}

const std::vector<std::string>& flow_rule_words() {
    static const std::vector<std::string> words{"none", "von-mises", "herschel-bulkley",
                                                "drucker-prager", "creep"};
    return words;
}

std::string to_string(ElasticLaw law) { return elastic_law_words()[static_cast<size_t>(law)]; }
std::string to_string(FlowRule rule) { return flow_rule_words()[static_cast<size_t>(rule)]; }
std::optional<ElasticLaw> parse_elastic_law(std::string_view word) {
    return parse<ElasticLaw>(word, elastic_law_words());
}
std::optional<FlowRule> parse_flow_rule(std::string_view word) {
    return parse<FlowRule>(word, flow_rule_words());
}

std::vector<std::string> flow_rules_of(ElasticLaw law) {
    if (law == ElasticLaw::thin) return {to_string(FlowRule::none)};
    std::vector<std::string> words;
    for (const std::string& word : flow_rule_words())
        if (is_supported(law, *parse_flow_rule(word))) words.push_back(word);
    return words;
}

std::vector<MaterialMistake> check_material(const Material& m) {
    std::vector<MaterialMistake> mistakes;
    // sheets and curves have laws of their own (materials/codimensional/)
    const bool fits =
        is_thin(m) ? m.flow.rule == FlowRule::none : is_supported(m.elastic.law, m.flow.rule);
    if (!fits)
        mistakes.push_back({"flow.rule",
                            fmt::format("a {} material cannot have the flow rule {}",
                                        to_string(m.elastic.law), to_string(m.flow.rule)),
                            fmt::format("{} goes with: {}", to_string(m.elastic.law),
                                        fmt::join(flow_rules_of(m.elastic.law), ", "))});
    check_ranges(m, mistakes);
    check_pairs(m, mistakes);
    return mistakes;
}

}  // namespace knead
