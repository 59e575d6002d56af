// The reference page names what there is.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "knead/materials/parameters.h"
#include "knead/materials/presets.h"
#include "knead/materials/rheometer_plot.h"

namespace knead::test {
namespace {

TEST(MaterialsPage, NamesEveryParameterPresetLawRuleAndTest) {
    const std::string path = KNEAD_DOCS "/materials.md";
    std::ifstream in(path);
    ASSERT_TRUE(in) << path;
    std::stringstream text;
    text << in.rdbuf();
    const std::string page = text.str();

    std::vector<std::string> words = elastic_law_words();
    for (const std::string& word : flow_rule_words()) words.push_back(word);
    for (const std::string& word : rheometer_tests()) words.push_back(word);
    for (const Parameter& p : material_parameters()) words.push_back(p.key);
    for (const Material& m : material_presets()) words.push_back(m.name);
    for (const std::string& word : words)
        EXPECT_NE(page.find("`" + word + "`"), std::string::npos) << word;
}

}  // namespace
}  // namespace knead::test
