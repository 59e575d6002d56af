#include "knead/materials/rheometer.h"

#include <gtest/gtest.h>

#include <numbers>

#include "knead/base/error.h"
#include "support.h"

namespace knead::test {
namespace {

const char* const foams[] = {"shaving-cream", "smore-interior", "smore-exterior",
                             "pie",           "oobleck",        "viscoplastic"};

struct ShearRow {
    const char* name;
    double rate, w, stress, small_strain, normal;
    double unit = 1e-3;  // of the last printed digit of `normal`
};

// Oracle O4: steady simple shear of the renormalised foam law, in closed form.
const ShearRow steady_rows[] = {
    {"shaving-cream", 0.1, 0.100151, 28.9472, 29.1559, 5.798},
    {"shaving-cream", 1, 0.124191, 35.8320, 36.2388, 8.900},
    {"shaving-cream", 10, 0.163660, 47.0449, 47.9936, 15.399},
    {"shaving-cream", 100, 0.227679, 64.9239, 67.5015, 29.564},
    {"smore-interior", 1, 0.190499, 15.0599, 15.5208, 5.738},
    {"smore-interior", 10, 0.371717, 28.4817, 32.0087, 21.174},
    {"smore-interior", 100, 0.734217, 50.8738, 76.3863, 74.705},
    {"smore-exterior", 1, 0.011547, 577.349, 577.400, 13.334},
    {"pie", 1, 0.045282, 72.4016, 72.5017, 6.557},
    {"pie", 10, 0.047012, 75.1643, 75.2774, 7.067},
    {"pie", 100, 0.050233, 80.3059, 80.4459, 8.068},
    {"oobleck", 0.1, 5.5e-6, 0.0619816, 0.0619816, 6.9e-7, 1e-8},
    {"oobleck", 1, 0.000244, 2.73717, 2.73717, 0.00134, 1e-5},
    {"oobleck", 10, 0.144219, 1604.20, 1690.67, 462.7, 0.1},
    {"oobleck", 100, 1.67021, 11998.4, 1.07e6, 40080, 1},
    {"viscoplastic", 1, 0.000452, 5.05773, 5.05774, 0.00457, 1e-5},
    {"viscoplastic", 10, 0.004469, 50.0564, 50.0577, 0.447},
    {"viscoplastic", 100, 0.044560, 498.737, 500.058, 44.45, 0.01},
};

// Half a unit of the last printed digit, for a number printed with `digits` of them.
double printed(double value, int digits) {
    return 0.51 * std::pow(10, std::floor(std::log10(value)) + 1 - digits);
}

TEST(SteadyShearReference, HasTheTabulatedValues) {
    for (const ShearRow& row : steady_rows) {
        const Material& m = *find_preset(row.name);
        const SteadyShear exact = herschel_bulkley_steady_shear(m, row.rate);
        EXPECT_NEAR(exact.shear_stress, row.stress, printed(row.stress, 6)) << row.name << row.rate;
        EXPECT_NEAR(exact.elastic_strain, row.w, std::max(5.1e-7, row.w < 1e-4 ? 5e-8 : 0))
            << row.name;
        EXPECT_NEAR(exact.first_normal_difference, row.normal, 0.51 * row.unit) << row.name;
        EXPECT_NEAR(herschel_bulkley_small_strain(m, row.rate), row.small_strain,
                    printed(row.small_strain, row.small_strain > 1e6 ? 3 : 6));
    }
}

TEST(SteadyShear, FollowsTheExactCurveOverFiveDecadesForEveryFoam) {
    const std::vector<double> rates{1e-3, 1e-2, 0.1, 1, 10, 100};
    for (const char* name : foams) {
        const Material& m = *find_preset(name);
        const Table table = steady_shear(m, rates);
        ASSERT_EQ(table.rows.size(), rates.size());
        for (const auto& row : table.rows) {
            const SteadyShear exact = herschel_bulkley_steady_shear(m, row[0]);
            EXPECT_NEAR(row[1], exact.shear_stress, 3e-4 * exact.shear_stress) << name << row[0];
            EXPECT_NEAR(row[2], exact.first_normal_difference, 5e-3 * exact.first_normal_difference)
                << name << row[0];
        }
    }
}

// Oracle O4: b = q (1 + 2 w^2, w; w, 1), q = (1 + w^2)^(-1/3), so that N2 = 0. The point is sheared
// in steps of 5.8e-4 and of half of that: first order in the step, extrapolated to none.
TEST(SteadyShear, EndsInTheClosedState) {
    for (const ShearRow& row : steady_rows) {
        const Material& m = *find_preset(row.name);
        const auto law = std::get<Foam<double, HerschelBulkley<double>>>(make_law<double>(m));
        const auto sheared = [&](double strain) {
            auto state = MaterialState<double>::rest();
            const double total = 4 + 8 * row.w;  // enough to forget the start
            for (int k = 0; k < std::lround(total / strain); ++k)
                law.advance(state, Mat3d{0, strain, 0, 0, 0, 0, 0, 0, 0}, strain / row.rate);
            return state.b;
        };
        const double w = herschel_bulkley_steady_shear(m, row.rate).elastic_strain;
        const double q = std::pow(1 + w * w, -1.0 / 3);
        const Sym3d coarse = sheared(5.8e-4), exact = 2 * sheared(2.9e-4) - coarse;
        const Sym3d closed = q * Sym3d{1 + 2 * w * w, 1, 1, w, 0, 0};
        EXPECT_LT(largest(exact - closed), 2e-5 * w) << row.name << row.rate;
        EXPECT_NEAR(coarse.xy / closed.xy, 1, 3e-4) << row.name << row.rate;
    }
}

TEST(SteadyShear, WritesTheHeaderPeopleExpect) {
    const std::vector<double> rates{1};
    const std::string csv = to_csv(steady_shear(*find_preset("pie"), rates));
    EXPECT_EQ(csv.substr(0, csv.find('\n')), "shear_rate,shear_stress,first_normal_difference");
}

TEST(SteadyShear, OfAFluidIsNewtons) {
    const std::vector<double> rates{0.1, 10};
    const Table table = steady_shear(*find_preset("honey"), rates);
    EXPECT_NEAR(table.rows[0][1], 1, 1e-9);
    EXPECT_NEAR(table.rows[1][1], 100, 1e-7);
}

// Simple shear keeps volume: |dev tau| = sqrt(2) tau_xy on the cone |dev tau| = alpha 3 p.
TEST(SteadyShear, OfSandIsFrictionTimesPressure) {
    Material m = *find_preset("dry-sand");
    const std::vector<double> rates{1};
    const double pressure = 100, s = std::sin(33 * std::numbers::pi / 180);
    const double alpha = std::sqrt(2.0 / 3.0) * 2 * s / (3 - s);
    m.flow.cone = Cone::triaxial;
    EXPECT_NEAR(steady_shear(m, rates, pressure).rows[0][1], alpha * 3 * pressure / std::sqrt(2.0),
                0.02 * pressure);
    m.flow.cone = Cone::shear;
    for (const double angle : {20.0, 30.0, 45.0}) {
        m.flow.friction_angle = angle;
        const double stress = steady_shear(m, rates, pressure).rows[0][1];
        EXPECT_NEAR(std::atan(stress / pressure) * 180 / std::numbers::pi, angle, 0.3);
    }
}

TEST(SteadyShear, IsRefusedForWhatDoesNotFlow) {
    const std::vector<double> rates{1};
    EXPECT_THROW(steady_shear(*find_preset("jelly"), rates), InputError);
}

TEST(SteadyShear, IsRefusedForCreepThatCountsSteps) {
    const std::vector<double> rates{1};
    Material m = *find_preset("soft-clay");
    m.flow.creep_interval = 0;
    EXPECT_THROW(steady_shear(m, rates), InputError);
}

// Elastic: tau_xy = mu gamma and N1 = mu gamma^2, for any rate.
TEST(StartUp, BeginsElasticallyAndEndsAtTheFlowStress) {
    const Material& m = *find_preset("shaving-cream");
    const std::vector<double> rates{1};
    const Table table = start_up(m, rates, 1.0);
    const auto& early = table.rows[10];
    EXPECT_NEAR(early[2], 0.05, 1e-12);
    EXPECT_NEAR(early[3], 290 * 0.05, 1e-8);
    EXPECT_NEAR(early[4], 290 * 0.05 * 0.05, 1e-8);
    const double flow = herschel_bulkley_steady_shear(m, 1).shear_stress;
    EXPECT_NEAR(table.rows.back()[3], flow, 2e-3 * flow);
}

// Maxwell: tau = mu gamma exp(-2 mu t / eta) for small strain, also when little is left.
TEST(Relaxation, OfAMaxwellSolidIsExponential) {
    Material m = *find_preset("viscoplastic");
    m.flow.yield_stress = 0;
    const double mu = m.elastic.shear_modulus, time_scale = m.flow.viscosity / (2 * mu);
    const Table table = relaxation(m, 1e-3, 5 * time_scale);
    EXPECT_NEAR(table.rows[0][1], mu * 1e-3, 1e-6 * mu);
    for (const auto& row : table.rows) {
        const double expected = mu * 1e-3 * std::exp(-row[0] / time_scale);
        EXPECT_NEAR(row[1], expected, 1e-3 * expected);
    }
    EXPECT_NEAR(table.rows.back()[0], 5 * time_scale, 1e-12);
}

TEST(Relaxation, OfAnElasticSolidDoesNotHappen) {
    const Table table = relaxation(*find_preset("jelly"), 0.1, 10);
    EXPECT_NEAR(table.rows.back()[1], table.rows.front()[1], 1e-9 * table.rows.front()[1]);
}

// Hencky: true stress times J is E ln(stretch), lateral stretch is stretch^-nu, at any strain.
TEST(Uniaxial, OfAHenckySolidIsLinearInLogarithms) {
    Material m;
    m.name = "test";
    m.elastic.law = ElasticLaw::hencky;
    set_young_poisson(m, 1e5, 0.3);
    const std::vector<double> rates{1};
    for (const double strain : {0.5, -0.4}) {
        const Table table = uniaxial(m, rates, strain);
        for (const auto& row : table.rows) {
            const double stretch = 1 + row[1], volume = stretch * row[3] * row[3];
            EXPECT_NEAR(row[2] * volume, 1e5 * std::log(stretch), 1e-3);
            EXPECT_NEAR(row[3], std::pow(stretch, -0.3), 1e-8);
        }
        EXPECT_NEAR(table.rows.back()[1], strain, 1e-9);
    }
}

TEST(Uniaxial, OfAPlasticBarStopsAtYield) {
    const std::vector<double> rates{1};
    const Material& clay = *find_preset("clay");
    const Table table = uniaxial(clay, rates, 0.3);
    const auto& row = table.rows.back();
    EXPECT_NEAR(row[2] * (1 + row[1]) * row[3] * row[3], clay.flow.yield_stress, 1.0);
    const Table push = uniaxial(clay, rates, -0.3);
    EXPECT_LT(push.rows.back()[2], 0);
}

// Triaxial test: at failure |dev| = alpha 3 p gives (s1 - s3) = 2 s3 sin/(1 - sin) in compression.
TEST(Uniaxial, OfSandUnderPressureFailsAtItsFrictionAngle) {
    const std::vector<double> rates{1};
    Material m = *find_preset("dry-sand");
    m.flow.cone = Cone::triaxial;
    const double side = 500, s = std::sin(33 * std::numbers::pi / 180);
    const Table table = uniaxial(m, rates, -0.1, side);
    EXPECT_NEAR(-table.rows.back()[2], side * (1 + s) / (1 - s), 2e-3 * side);
}

// Maxwell with x = omega eta / (2 mu): G' = mu x^2/(1 + x^2), G'' = mu x/(1 + x^2).
TEST(Oscillatory, OfAMaxwellSolidIsMaxwells) {
    Material m = *find_preset("viscoplastic");
    m.flow.yield_stress = 0;
    const double mu = m.elastic.shear_modulus;
    const std::vector<double> frequencies{10, 100, 356, 1000, 5000};
    const Table table = oscillatory(m, 1e-4, frequencies);
    for (const auto& row : table.rows) {
        const double x = 2 * std::numbers::pi * row[0] * m.flow.viscosity / (2 * mu);
        EXPECT_NEAR(row[2], mu * x * x / (1 + x * x), 1e-4 * mu) << row[0];
        EXPECT_NEAR(row[3], mu * x / (1 + x * x), 1e-4 * mu) << row[0];
    }
}

TEST(Oscillatory, TellsSolidFromFluid) {
    const std::vector<double> frequencies{2};
    const Material& jelly = *find_preset("jelly");
    const auto solid = oscillatory(jelly, 1e-3, frequencies).rows[0];
    EXPECT_NEAR(solid[2], jelly.elastic.shear_modulus, 1e-4 * jelly.elastic.shear_modulus);
    EXPECT_NEAR(solid[3], 0, 1e-4 * jelly.elastic.shear_modulus);
    const auto fluid = oscillatory(*find_preset("honey"), 1e-3, frequencies).rows[0];
    const double loss = 10 * 2 * std::numbers::pi * 2;
    EXPECT_NEAR(fluid[2], 0, 1e-4 * loss);
    EXPECT_NEAR(fluid[3], loss, 1e-4 * loss);
}

}  // namespace
}  // namespace knead::test
