#include "knead/materials/parameters.h"

#include <gtest/gtest.h>

#include <set>

#include "support.h"

namespace knead::test {
namespace {

TEST(Parameters, SetWhatTheyGet) {
    for (const Parameter& p : material_parameters()) {
        Material m = *find_preset("clay");
        const bool whole = p.unit == "yes/no" || !p.words.empty();
        const double value = whole ? 1 : 0.25 + (p.min < 0.25 ? 0 : p.min);
        p.set(m, value);
        EXPECT_NEAR(p.get(m), value, 1e-12) << p.key;
        EXPECT_FALSE(p.doc.empty()) << p.key;
        EXPECT_TRUE(in_range(p, value)) << p.key;
        EXPECT_EQ(find_parameter(p.key), &p);
    }
    EXPECT_EQ(find_parameter("flow.yield_strss"), nullptr);
}

TEST(Parameters, KnowTheirRange) {
    const Parameter& density = *find_parameter("density");
    EXPECT_FALSE(in_range(density, 0));
    EXPECT_TRUE(in_range(density, 1e-3));
    EXPECT_FALSE(in_range(density, std::nan("")));
    EXPECT_NE(range_text(density).find("above 0"), std::string::npos);
}

// E = 9 K G / (3 K + G), nu = (3 K - 2 G) / (2 (3 K + G)).
TEST(Parameters, TurnYoungAndPoissonIntoBulkAndShear) {
    Material m;
    set_young_poisson(m, 1e5, 0.3);
    EXPECT_NEAR(m.elastic.shear_modulus, 38461.5385, 1e-4);
    EXPECT_NEAR(m.elastic.bulk_modulus - 2.0 / 3.0 * m.elastic.shear_modulus, 57692.3077, 1e-4);
    EXPECT_NEAR(young_modulus(m), 1e5, 1e-9);
    EXPECT_NEAR(poisson_ratio(m), 0.3, 1e-15);
}

TEST(Parameters, HaveWordsForEveryLawAndRule) {
    for (const std::string& word : elastic_law_words())
        EXPECT_EQ(to_string(*parse_elastic_law(word)), word);
    for (const std::string& word : flow_rule_words())
        EXPECT_EQ(to_string(*parse_flow_rule(word)), word);
    EXPECT_EQ(to_string(ElasticLaw::fluid), "fluid");
    EXPECT_EQ(to_string(FlowRule::creep), "creep");
    EXPECT_FALSE(parse_elastic_law("neohookean"));
}

TEST(CheckMaterial, NamesWhatIsWrong) {
    const auto first_key = [](const Material& m) {
        const auto mistakes = check_material(m);
        return mistakes.empty() ? std::string("none") : mistakes[0].key;
    };
    Material m = *find_preset("jelly");
    EXPECT_EQ(first_key(m), "none");
    m.elastic.shear_modulus = 0;
    EXPECT_EQ(first_key(m), "elastic.shear_modulus");
    m = *find_preset("jelly");
    m.elastic.bulk_modulus = 1e12;
    EXPECT_EQ(first_key(m), "elastic.bulk_modulus");
    m = *find_preset("pie");
    m.flow.exponent = 0;
    EXPECT_EQ(first_key(m), "flow.exponent");
    m.flow.rule = FlowRule::drucker_prager;
    EXPECT_EQ(first_key(m), "flow.rule");
    m = *find_preset("water");
    m.elastic.fluid_exponent = 6.5;
    EXPECT_EQ(first_key(m), "elastic.fluid_exponent");
    m = *find_preset("soft-clay");
    m.flow.creep_rate = 2;
    EXPECT_EQ(first_key(m), "flow.creep_rate");
    m.flow.creep_rate = 0.5;
    m.flow.creep_volume_low = 1;
    EXPECT_EQ(first_key(m), "flow.creep_volume_low");
    m = *find_preset("sand");
    m.flow.hardening_start = 40;
    EXPECT_EQ(first_key(m), "flow.hardening_start");
}

TEST(Presets, AreSoundAndSayWhereTheyComeFrom) {
    std::set<std::string> names;
    for (const Material& m : material_presets()) {
        EXPECT_TRUE(names.insert(m.name).second) << m.name;
        EXPECT_FALSE(m.source.empty()) << m.name;
        for (const MaterialMistake& mistake : check_material(m))
            ADD_FAILURE() << m.name << ": " << mistake.what << "; " << mistake.remedy;
        EXPECT_EQ(find_preset(m.name), &m);
        if (is_thin(m)) continue;  // no law of volumes
        EXPECT_NO_THROW(make_law<float>(m)) << m.name;
    }
    EXPECT_EQ(find_preset("unobtainium"), nullptr);
}

// Yue 2015, Table I, checked in the paper's own words: kPa, Pa, Pa s^h.
TEST(Presets, HoldTheFoamPapersTable) {
    const Material& m = *find_preset("shaving-cream");
    EXPECT_DOUBLE_EQ(m.density, 77.7);
    EXPECT_DOUBLE_EQ(m.elastic.bulk_modulus, 109e3);
    EXPECT_DOUBLE_EQ(m.elastic.shear_modulus, 290);
    EXPECT_DOUBLE_EQ(m.flow.yield_stress, 31.9);
    EXPECT_DOUBLE_EQ(m.flow.viscosity, 27.2);
    EXPECT_DOUBLE_EQ(m.flow.exponent, 0.22);
    EXPECT_DOUBLE_EQ(m.tear.threshold, 217.5);
    EXPECT_DOUBLE_EQ(m.tear.recovery_time, 0.35);
    for (const char* name : {"smore-interior", "smore-exterior", "pie", "oobleck", "viscoplastic"})
        EXPECT_EQ(find_preset(name)->elastic.law, ElasticLaw::neo_hookean) << name;
    EXPECT_DOUBLE_EQ(find_preset("oobleck")->flow.exponent, 2.8);
    EXPECT_DOUBLE_EQ(find_preset("viscoplastic")->flow.exponent, 1);
}

}  // namespace
}  // namespace knead::test
