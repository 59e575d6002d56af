// The rheometer of sheets and fibres against closed forms.
#include "knead/materials/thin_rheometer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knead/base/error.h"
#include "knead/materials/parameters.h"
#include "knead/materials/presets.h"

namespace knead::test {
namespace {

Material a_thin() {
    Material m;
    m.name = "thin";
    m.elastic.law = ElasticLaw::thin;
    set_young_poisson(m, 400, 0.3);
    m.thin.compression = 800;
    m.thin.stretch = 2000;
    m.thin.shear = 50;
    m.thin.friction_angle = 20;
    return m;
}

TEST(ThinRheometer, ASheetThatIsPulledHasTheModulusOfItsLame) {
    const Material m = a_thin();
    const double mu = m.elastic.shear_modulus, lambda = lame_lambda(m);
    const Table t = pull_thin(m, ThinKind::sheet, 2e-4);
    const auto strain = t.column("strain"), stress = t.column("axial_stress"),
               aside = t.column("lateral_stretch");
    // for small strain: E = 4 mu (mu + lambda) / (2 mu + lambda), nu = lambda / (2 mu + lambda)
    EXPECT_NEAR(stress.back() / strain.back(), 4 * mu * (mu + lambda) / (2 * mu + lambda),
                1e-3 * mu);
    EXPECT_NEAR((1 - aside.back()) / strain.back(), lambda / (2 * mu + lambda), 1e-3);
}

TEST(ThinRheometer, AFibreIsASpring) {
    const Table t = pull_thin(a_thin(), ThinKind::fibre, 0.5);
    const auto strain = t.column("strain"), stress = t.column("axial_stress");
    for (std::size_t k = 0; k < strain.size(); ++k)  // k (r - 1) r over J = r
        EXPECT_NEAR(stress[k], 2000 * strain[k], 1e-9);
}

TEST(ThinRheometer, CompressionIsThatOfTheLaws) {
    const Material m = a_thin();
    const Table sheet = compress_thin(m, ThinKind::sheet, 0.3);
    const Table fibre = compress_thin(m, ThinKind::fibre, 0.3);
    const double both = m.elastic.shear_modulus + lame_lambda(m);
    for (std::size_t k = 0; k < sheet.rows.size(); ++k) {
        const double part = sheet.rows[k][0], left = 1 - part;
        EXPECT_NEAR(sheet.rows[k][1], -800 * part * part, 1e-9);
        EXPECT_NEAR(fibre.rows[k][1], 2 * both * std::log(left) / (left * left), 1e-8 * both);
    }
}

TEST(ThinRheometer, ShearStressIsHeldByFriction) {
    const Material m = a_thin();
    const double c = std::tan(20 * 3.14159265358979 / 180);
    const Table sheet = shear_thin(m, ThinKind::sheet, 0.5, 8);
    // pressed to 8 Pa: r33 = 0.9; first elastic, gamma r13, then Coulomb's
    EXPECT_NEAR(sheet.rows[4][1], 50 * 0.01 * 0.9, 1e-6);
    EXPECT_NEAR(sheet.rows.back()[1], c * 8, 1e-6);
    EXPECT_NEAR(sheet.rows.back()[2], -8, 1e-6);
    // along a fibre: beta / 2 of the sum of the normal stresses
    const Table fibre = shear_thin(m, ThinKind::fibre, 2, 8);
    EXPECT_NEAR(fibre.rows.back()[1], c * 8, 1e-3 * c * 8);
}

TEST(ThinRheometer, RefusesWhatAMaterialIsNotFor) {
    const Material& yarn = *find_preset("wool-yarn");
    EXPECT_EQ(thin_kind(yarn), ThinKind::fibre);
    EXPECT_THROW(pull_thin(yarn, ThinKind::sheet, 0.1), InputError);
    EXPECT_THROW(shear_thin(a_thin(), ThinKind::sheet, 0.1, 1e6), InputError);
}

TEST(ThinPresets, HaveTheSixteenRowsOfTheTableAndWhatIsWorn) {
    int published = 0, worn = 0;
    for (const Material& m : material_presets()) {
        if (!is_thin(m)) continue;
        EXPECT_TRUE(check_material(m).empty()) << m.name;
        EXPECT_FALSE(m.source.empty());
        const bool table = m.source.find("Table 1") != std::string::npos;
        ++(table ? published : worn);
        const double bending = m.thin.sheet_bending + m.thin.fibre_bending;
        EXPECT_EQ(table, bending == 0) << m.name;
        EXPECT_EQ(table, m.thin.thickness + m.thin.radius == 0) << m.name;
    }
    EXPECT_EQ(published, 16);
    EXPECT_EQ(worn, 8);
    EXPECT_NEAR(find_preset("cotton")->density * find_preset("cotton")->thin.thickness, 0.12, 1e-9);
}

}  // namespace
}  // namespace knead::test
