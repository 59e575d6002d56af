// The one table of material parameters: what the scene reader accepts, `knead materials` lists and
// the rheometer's --set changes. And the words for laws and rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knead/materials/material.h"

namespace knead {

struct Parameter {
    std::string key;   // as in a scene: "flow.yield_stress"
    std::string unit;  // "Pa"; "1" for a pure number, "yes/no" for a switch (0 or 1), "word"
    std::string doc;
    double min, max;         // the allowed range, its ends included
    bool above_min = false;  // min itself is not allowed
    bool derived = false;    // another way to say others: not stored, left out when writing
    double (*get)(const Material&);
    void (*set)(Material&, double);
    bool (*used)(const Material&);  // does its law or rule read it?
    // What the numbers 0, 1, ... stand for, where a scene has words.
    std::vector<std::string> words{};
};

const std::vector<Parameter>& material_parameters();
// nullptr when there is none of that key.
const Parameter* find_parameter(std::string_view key);
bool in_range(const Parameter& parameter, double value);
// "above 0, at most 1e+12 Pa".
std::string range_text(const Parameter& parameter);

// A number as a scene has it, without its unit: "yes" and the like for switches, or a word.
std::string value_text(const Parameter& parameter, double value);

// Young's modulus [Pa] and Poisson's ratio, an alternative to bulk and shear modulus.
void set_young_poisson(Material& material, double young_modulus, double poisson_ratio);
double young_modulus(const Material& material);
double poisson_ratio(const Material& material);

std::string to_string(ElasticLaw law);
std::string to_string(FlowRule rule);
std::optional<ElasticLaw> parse_elastic_law(std::string_view word);
std::optional<FlowRule> parse_flow_rule(std::string_view word);
const std::vector<std::string>& elastic_law_words();
const std::vector<std::string>& flow_rule_words();
// The flow rules that an elastic law can have.
std::vector<std::string> flow_rules_of(ElasticLaw law);

// What is wrong with a material: numbers out of range or at odds with each other. Empty: all is
// well.
struct MaterialMistake {
    std::string key;  // of the parameter, or "flow.rule"
    std::string what;
    std::string remedy;
};
std::vector<MaterialMistake> check_material(const Material& material);

}  // namespace knead
