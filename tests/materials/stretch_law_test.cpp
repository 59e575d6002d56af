// What the point methods make of a material, against the laws of the grid.
#include "knead/materials/stretch_law.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knead/base/error.h"
#include "knead/materials/material_point.h"
#include "knead/materials/presets.h"
#include "knead/materials/rheometer.h"

namespace knead {
namespace {

const Mat3d mixed_flow{1, 8, 0, -2, 0.5, 3, 0, 1, -1.2};  // [1/s]

bool points_take(const Material& m) {
    try {
        make_stretch_law<double>(m);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

// The preset jelly with another elastic law and no flow.
Material elastic(ElasticLaw law) {
    Material m = *find_preset("jelly");
    m.elastic.law = law;
    m.flow = {};
    return m;
}

double difference(const Sym3d& a, const Sym3d& b) {
    return std::sqrt(norm_squared(a - b) / norm_squared(b));
}

}  // namespace

// By stretches as on the grid, by the tensor b [Yue 2015, Eq. 12-18], the polar rotation or log
// strain: the same 1000 steps of a mixed flow, for every preset that the point methods take.
TEST(StretchLaw, EveryMaterialFlowsAsOnTheGrid) {
    int count = 0;
    for (const Material& m : material_presets()) {
        if (!points_take(m)) continue;
        MaterialPoint grid(m), points(m, LawForm::points);
        const double dt = 2e-4;
        for (int k = 0; k < 1000; ++k) {
            grid.advance(dt * mixed_flow, dt);
            points.advance(dt * mixed_flow, dt);
        }
        EXPECT_LT(difference(points.cauchy(), grid.cauchy()), 1e-9) << m.name;
        EXPECT_NEAR(points.energy() / grid.energy(), 1, 1e-9) << m.name;
        ++count;
    }
    EXPECT_GE(count, 20);
}

TEST(StretchLaw, EveryElasticLawIsThatOfTheGrid) {
    for (const ElasticLaw law : {ElasticLaw::fixed_corotated, ElasticLaw::corotated_linear,
                                 ElasticLaw::hencky, ElasticLaw::neo_hookean}) {
        MaterialPoint grid(elastic(law)), points(elastic(law), LawForm::points);
        for (int k = 0; k < 100; ++k) {
            grid.advance(1e-3 * mixed_flow, 1e-3);
            points.advance(1e-3 * mixed_flow, 1e-3);
        }
        EXPECT_LT(difference(points.cauchy(), grid.cauchy()), 1e-10);
    }
}

// The one difference: on points, neo-Hookean stress grows no further below a stretch of a fifth,
// tau(s) = tau(max(s, 0.2)); on the grid it grows on.
TEST(StretchLaw, CrushedNeoHookeanMatterIsSofterThanOnTheGrid) {
    const Material m = elastic(ElasticLaw::neo_hookean);
    const auto squeezed = [&](LawForm form, double stretch) {
        MaterialPoint point(m, form);
        point.advance(diagonal(Vec3d{0, stretch - 1, 0}), 0);
        return determinant(point.deformation()) * point.cauchy().yy;
    };
    const double fifth = squeezed(LawForm::grid, 0.2), tenth = squeezed(LawForm::grid, 0.1);
    EXPECT_NEAR(squeezed(LawForm::points, 0.2) / fifth, 1, 1e-12);
    EXPECT_NEAR(squeezed(LawForm::points, 0.1) / fifth, 1, 1e-12);
    EXPECT_GT(tenth / fifth, 1.15);  // 1.21 with these moduli
}

// The curves of a test are the same, column by column.
TEST(StretchLaw, TheRheometerDrivesThePointMethodsToo) {
    const std::vector<double> rates{0.1, 10};
    for (const char* name : {"shaving-cream", "clay", "jelly", "slime", "gum"}) {
        const Material* m = find_preset(name);
        ASSERT_TRUE(m && points_take(*m)) << name;
        const Table grid = start_up(*m, rates, 0.5);
        const Table points = start_up({*m, LawForm::points}, rates, 0.5);
        ASSERT_EQ(grid.rows.size(), points.rows.size());
        const double most = grid.rows.back()[3];
        for (std::size_t r = 0; r < grid.rows.size(); ++r)
            for (std::size_t c = 0; c < grid.columns.size(); ++c)
                EXPECT_NEAR(points.rows[r][c], grid.rows[r][c], 1e-9 * std::abs(most))
                    << name << " " << grid.columns[c];
    }
}

TEST(StretchLaw, TheRheometerSaysWhichMaterialsThePointMethodsCannotTake) {
    const std::vector<double> rates{1};
    const Material& sand = *find_preset("dry-sand");
    EXPECT_NO_THROW(start_up(sand, rates, 0.01, 1000));
    EXPECT_THROW(start_up({sand, LawForm::points}, rates, 0.01, 1000), InputError);
}

}  // namespace knead
