// The foam law against its closed forms [Yue 2015].
#include <gtest/gtest.h>

#include <limits>

#include "support.h"

namespace knead::test {
namespace {

using FoamLaw = Foam<double, HerschelBulkley<double>>;

FoamLaw foam(const char* name) { return std::get<FoamLaw>(make_law<double>(*find_preset(name))); }

double stress_norm(const FoamLaw& law, const Sym3d& b) {
    return law.elastic.mu * std::sqrt(norm_squared(deviator(b)));
}

// Half a unit of the last printed digit, for a number printed with `digits` of them.
double printed(double value, int digits) {
    return 0.51 * std::pow(10, std::floor(std::log10(value)) + 1 - digits);
}

const Mat3d mixed_flow{1, 8, 0, -2, 0.5, 3, 0, 1, -1.2};  // [1/s]

const char* const all_foams[] = {"shaving-cream", "smore-interior", "smore-exterior",
                                 "pie",           "oobleck",        "viscoplastic"};

// `count` steps of constant velocity gradient from rest.
MaterialState<double> drive(const FoamLaw& law, const Mat3d& L, double duration, int count) {
    auto state = MaterialState<double>::rest();
    const double dt = duration / count;
    for (int k = 0; k < count; ++k) law.advance(state, dt * L, dt);
    return state;
}

// Oracle O1, with the paper's own moduli: tau = dW/dF F^T by central differences.
TEST(FoamEnergy, HasTheStressAsItsDerivative) {
    Random random;
    const double step = 1e-6;
    for (const char* name : all_foams) {
        const FoamLaw law = foam(name);
        for (int sample = 0; sample < 50; ++sample) {
            const Mat3d F = random.deformation(0.3);
            Mat3d P;
            for (int k = 0; k < 9; ++k) {
                Mat3d plus = F, minus = F;
                plus[k] += step;
                minus[k] -= step;
                P[k] = (law.energy(state_of(plus)) - law.energy(state_of(minus))) / (2 * step);
            }
            const Mat3d expected = P * transpose(F), got(law.stress(state_of(F)));
            EXPECT_LT(std::sqrt(norm_squared(got - expected) / norm_squared(got)), 1e-8) << name;
        }
    }
}

// Oracle O2: y + A y^p = 1 with y the share of the excess that is left.
TEST(HerschelBulkleyRoot, IsTheClosedFormWhenTheExponentIsOne) {
    const HerschelBulkley<double> linear{10, 7, 1};
    EXPECT_NEAR(linear.relaxed(50.0, 300.0, 1e-3), 46.8421052631579, 5.1e-14);
    const double share = std::exp(linear.log_share(40.0, 2 * 300.0 * 1e-3));
    EXPECT_NEAR(10 + 40 * share, 46.8421052631579, 5.1e-14);
}

TEST(HerschelBulkleyRoot, SolvesTheEquationForAllFoams) {
    Random random;
    for (const Material& m : material_presets()) {
        if (m.flow.rule != FlowRule::herschel_bulkley) continue;
        const HerschelBulkley<double> flow{0, m.flow.viscosity, m.flow.exponent};
        for (int sample = 0; sample < 2000; ++sample) {
            const double x = std::pow(10, random.uniform(-6, 5)),
                         dt = std::pow(10, random.uniform(-7, -2));
            const double two_mu_dt = 2 * m.elastic.shear_modulus * dt, p = 1 / flow.exponent;
            const double z = flow.log_share(x, two_mu_dt);
            // In logarithms, so that neither term overflows, and in more digits than are asked for:
            // the two terms sum to one.
            using Long = long double;
            const Long second =
                std::log(Long(two_mu_dt) / x) + Long(p) * (std::log(Long(x) / flow.viscosity) + z);
            EXPECT_LT(static_cast<double>(std::abs(std::exp(Long(z)) + std::exp(second) - 1)),
                      1e-13);
        }
    }
}

TEST(HerschelBulkleyRoot, SeriesAndNewtonMeetWhereLittleIsLost) {
    for (const Material& m : material_presets()) {
        if (m.flow.rule != FlowRule::herschel_bulkley) continue;
        const HerschelBulkley<double> flow{0, m.flow.viscosity, m.flow.exponent};
        const double two_mu_dt = 2e-6 * m.elastic.shear_modulus;
        for (double x = 1e-6; x < 1e6; x *= 1.1)
            EXPECT_NEAR(flow.share_left(x, two_mu_dt), std::exp(flow.log_share(x, two_mu_dt)),
                        2e-14)
                << m.name << ", excess " << x;
    }
}

// What packs of floats take for the root, by the size of A: series, two steps or Newton's
// iteration.
TEST(HerschelBulkleyRoot, EveryWayToItMeetsTheSameRoot) {
    for (const double h : {0.05, 0.22, 0.5, 0.8, 0.95, 1.2, 2.8, 10.0}) {
        const HerschelBulkley<float> flow{10, 7, static_cast<float>(h)};
        const HerschelBulkley<double> same{10, 7, static_cast<double>(flow.exponent)};
        const double p = 1 / same.exponent;
        for (double size = 1e-4; size < 10; size *= 1.03) {  // max(1, p) A, with x = eta
            const auto two_mu_dt = static_cast<float>(7 * size / std::max(1.0, p));
            const double exact = std::exp(same.log_share(7.0, static_cast<double>(two_mu_dt)));
            EXPECT_NEAR(flow.share_left(7.0f, two_mu_dt), exact, 6e-7) << h << " " << size;
        }
    }
}

TEST(HerschelBulkleyRoot, IsAsGoodAsFloatCanBe) {
    Random random;
    for (const char* name : {"shaving-cream", "smore-interior", "pie", "oobleck"}) {
        const Material& m = *find_preset(name);
        const auto law = foam(name);
        const auto narrow = std::get<Foam<float, HerschelBulkley<float>>>(make_law<float>(m)).flow;
        for (int sample = 0; sample < 2000; ++sample) {
            const double s = law.flow.yield_radius + std::pow(10, random.uniform(-6, 5));
            const auto s_float = static_cast<float>(s);
            if (s_float <= narrow.yield_radius) continue;
            const HerschelBulkley<double> same{narrow.yield_radius, narrow.viscosity,
                                               narrow.exponent};
            const double exact = same.relaxed(static_cast<double>(s_float), law.elastic.mu, 1e-5);
            const float got = narrow.relaxed(s_float, static_cast<float>(law.elastic.mu), 1e-5f);
            EXPECT_NEAR(got, exact, 6e-7 * s) << name << " " << s;
        }
    }
}

TEST(HerschelBulkleyRoot, FallsToYieldWithoutViscosity) {
    EXPECT_EQ((HerschelBulkley<double>{10, 0, 0.3}.relaxed(50.0, 300.0, 1e-3)), 10);
}

TEST(HerschelBulkleyRoot, KeepsAllStressInNoTime) {
    for (const double h : {0.22, 1.0, 2.8})
        EXPECT_NEAR((HerschelBulkley<double>{10, 7, h}.relaxed(50.0, 300.0, 0)), 50, 1e-12);
}

// db/dt = G - tr(b^-1 G)/3 b with G = L b + b L^T - 2/3 tr(b) gamma s^, integrated by Runge-Kutta.
Sym3d exact_rate(const FoamLaw& law, const Mat3d& L, const Sym3d& b) {
    const Mat3d Lb = L * Mat3d(b);
    Sym3d G{2 * Lb.xx, 2 * Lb.yy, 2 * Lb.zz, Lb.xy + Lb.yx, Lb.xz + Lb.zx, Lb.yz + Lb.zy};
    const Sym3d shape = deviator(b);
    const double norm = std::sqrt(norm_squared(shape)), s = law.elastic.mu * norm;
    const double excess = s - law.flow.yield_radius;
    if (excess > 0) {
        const double gamma = std::pow(excess / law.flow.viscosity, 1 / law.flow.exponent);
        G = G - (2.0 / 3.0 * trace(b) * gamma / norm) * shape;
    }
    const Mat3d inverse_G = Mat3d((1 / determinant(b)) * adjugate(b)) * Mat3d(G);
    return G - (trace(inverse_G) / 3) * b;
}

Sym3d exact_b(const FoamLaw& law, const Mat3d& L, double duration, int count) {
    Sym3d b = sym_identity<double>();
    const double dt = duration / count;
    for (int k = 0; k < count; ++k) {
        const Sym3d k1 = exact_rate(law, L, b), k2 = exact_rate(law, L, b + (dt / 2) * k1);
        const Sym3d k3 = exact_rate(law, L, b + (dt / 2) * k2),
                    k4 = exact_rate(law, L, b + dt * k3);
        b = b + (dt / 6) * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return b;
}

// Oracle O3.
struct SplitCase {
    const char* name;
    double speed, duration, stress, error;
};

TEST(FoamReturnMap, ConvergesToTheFlowEquationAtFirstOrder) {
    for (const SplitCase& c : {SplitCase{"shaving-cream", 1, 0.2, 65.50, 1.08e-4},
                               SplitCase{"smore-interior", 1, 0.2, 40.71, 1.98e-4},
                               SplitCase{"pie", 1, 0.2, 105.9, 3.37e-5},
                               SplitCase{"oobleck", 30, 0.01, 4.409e4, 4.61e-4},
                               SplitCase{"viscoplastic", 30, 0.01, 1627, 1.08e-4}}) {
        const FoamLaw law = foam(c.name);
        const Mat3d L = c.speed * mixed_flow;
        const Sym3d exact = exact_b(law, L, c.duration, 100000);
        EXPECT_NEAR(stress_norm(law, exact), c.stress, printed(c.stress, 4)) << c.name;
        const auto error = [&](int count) {
            const Sym3d d = drive(law, L, c.duration, count).b - exact;
            return std::sqrt(norm_squared(d) / norm_squared(exact));
        };
        const double coarse = error(1000), fine = error(2000);
        EXPECT_NEAR(coarse, c.error, printed(c.error, 3)) << c.name;
        EXPECT_NEAR(coarse / fine, 2, 0.005) << c.name;
    }
}

// Oracle O5: without viscosity a step ends at most at the yield radius, and the flow stress knows
// no rate.
TEST(FoamReturnMap, EndsEachStepAtYieldWhenPerfectlyPlastic) {
    Material m = *find_preset("shaving-cream");
    m.flow.viscosity = 0;
    const auto law = std::get<FoamLaw>(make_law<double>(m));
    const auto shear_to = [&](double dt) {
        auto state = MaterialState<double>::rest();
        for (int k = 0; k < std::lround(1.0 / dt); ++k)
            law.advance(state, Mat3d{0, dt, 0, 0, 0, 0, 0, 0, 0}, dt);
        return state.b;
    };
    EXPECT_NEAR(law.flow.yield_radius, 26.04624, 5e-6);
    EXPECT_NEAR(stress_norm(law, shear_to(1e-3)), 26.04513, 5.1e-6);
    EXPECT_NEAR(stress_norm(law, shear_to(1e-4)), 26.04613, 5.1e-6);
    // first order in the step: extrapolated to none
    const double coarse = shear_to(2e-4).xy, fine = shear_to(1e-4).xy;
    EXPECT_NEAR(law.elastic.mu * (2 * fine - coarse), 18.36828, 5.1e-6);
    EXPECT_LE(stress_norm(law, shear_to(1e-3)), law.flow.yield_radius);
}

// Oracle O5: strained in equal steps, foam without viscosity ends in the same state at any rate.
TEST(FoamReturnMap, KnowsNoRateWhenPerfectlyPlastic) {
    Material m = *find_preset("shaving-cream");
    m.flow.viscosity = 0;
    const auto law = std::get<FoamLaw>(make_law<double>(m));
    const auto sheared_at = [&](double rate) {
        auto state = MaterialState<double>::rest();
        for (int k = 0; k < 2000; ++k)
            law.advance(state, Mat3d{0, 5e-4, 0, 0, 0, 0, 0, 0, 0}, 5e-4 / rate);
        return state.b;
    };
    EXPECT_EQ(sheared_at(1e-3), sheared_at(1));
    EXPECT_EQ(sheared_at(1e3), sheared_at(1));
}

// Oracle O5: foam yields in shear at sigma_Y / sqrt(3), a strain of sigma_Y / (sqrt(3) mu) for
// small strain; at finite strain where 2 g^2 + 2/3 g^4 = (s_Y / mu)^2. Beyond it all excess flows
// away, viscosity apart.
TEST(FoamReturnMap, YieldsAtTheStrainsOfTheTable) {
    EXPECT_NEAR(find_preset("shaving-cream")->flow.yield_stress / std::sqrt(3.0), 18.417, 5.1e-4);
    const std::tuple<const char*, double, double> rows[] = {{"shaving-cream", 0.0635, 5.1e-5},
                                                            {"smore-interior", 0.0722, 5.1e-5},
                                                            {"smore-exterior", 0.01155, 5.1e-6},
                                                            {"pie", 0.0433, 5.1e-5},
                                                            {"oobleck", 5.2e-6, 5.1e-8}};
    for (const auto& [name, strain, tolerance] : rows) {
        FoamLaw law = foam(name);
        law.flow.viscosity = 0;
        const double small = law.flow.yield_radius / (std::sqrt(2.0) * law.elastic.mu);
        EXPECT_NEAR(small, strain, tolerance) << name;
        const double exact = std::sqrt(1.5 * (std::sqrt(1 + 4 * small * small / 3) - 1));
        const auto flows_at = [&](double g) {
            auto state = MaterialState<double>::rest();
            law.advance(state, Mat3d{0, g, 0, 0, 0, 0, 0, 0, 0}, 1e-3);
            return std::abs(law.stress(state).xy - law.elastic.mu * g) > 1e-14 * law.elastic.mu * g;
        };
        EXPECT_FALSE(flows_at(0.999 * exact)) << name;
        EXPECT_TRUE(flows_at(1.001 * exact)) << name;
    }
}

// Below yield tau_12 = mu gamma and s = mu sqrt(2 gamma^2 + 2/3 gamma^4).
TEST(FoamReturnMap, IsElasticBelowYield) {
    const FoamLaw law = foam("shaving-cream");
    auto state = MaterialState<double>::rest();
    for (int k = 0; k < 60; ++k) law.advance(state, Mat3d{0, 1e-3, 0, 0, 0, 0, 0, 0, 0}, 1e-3);
    const double g = 0.06;
    EXPECT_NEAR(law.stress(state).xy, law.elastic.mu * g, 1e-10);
    EXPECT_NEAR(stress_norm(law, state.b),
                law.elastic.mu * std::sqrt(2 * g * g + 2.0 / 3.0 * std::pow(g, 4)), 1e-10);
}

struct RelaxationCase {
    const char* name;
    double start, unit, expected[3];  // as printed
};

// Oracle O6: held still from simple shear, the stress norm decays by a power law, to yield: in the
// time t_c = eta^(1/h) x_0^(1 - 1/h) / (2 mu), or, thickening, all the way in t_c / (1 - 1/h).
TEST(FoamReturnMap, RelaxesAsTheClosedFormSays) {
    for (const RelaxationCase& c :
         {RelaxationCase{"shaving-cream", 78.139, 4.684e-3, {73.7456, 59.8402, 44.8582}},
          RelaxationCase{"smore-interior", 28.165, 7.439e-2, {26.2801, 18.5730, 10.8304}},
          RelaxationCase{"pie", 293.939, 7.696e-8, {277.116, 218.336, 154.957}},
          RelaxationCase{"viscoplastic", 20.082, 4.464e-4, {18.1784, 7.4392, 0.0826}},
          RelaxationCase{"smore-exterior", 2449.49, 1e-6, {2293.92, 1416.82, 816.571}},
          RelaxationCase{"oobleck", 20.082, 6.971e-4, {17.0583, 6.8856, 0.6382}}}) {
        const FoamLaw law = foam(c.name);
        const double mu = law.elastic.mu, h = law.flow.exponent;
        const double s0 = std::max(3 * law.flow.yield_radius, law.flow.yield_radius + 20);
        EXPECT_NEAR(s0, c.start, printed(c.start, 5));
        const double t_c = std::pow(law.flow.viscosity, 1 / h) *
                           std::pow(s0 - law.flow.yield_radius, 1 - 1 / h) / (2 * mu);
        EXPECT_NEAR(t_c, c.unit, printed(c.unit, 4)) << c.name;
        if (h > 1) {
            EXPECT_NEAR(t_c / (1 - 1 / h), 1.0843e-3, 5.1e-8);
        }
        // 2 g^2 + 2/3 g^4 = (s0/mu)^2
        const double g = std::sqrt((-2 + std::sqrt(4 + 8.0 / 3.0 * s0 * s0 / (mu * mu))) * 0.75);
        const auto relaxed = [&](double time, int count) {
            auto state = MaterialState<double>::rest();
            state.b = {1 + g * g, 1, 1, g, 0, 0};
            const Mat3d still = 0 * identity3<double>();
            for (int n = 0; n < count; ++n) law.advance(state, still, time / count);
            return stress_norm(law, state.b);
        };
        for (int k = 0; k < 3; ++k) {
            const double thin[] = {0.1, 1, 10}, thick[] = {0.1, 0.5, 0.9};
            const double time = h > 1 ? thick[k] * t_c / (1 - 1 / h) : thin[k] * t_c;
            // first order in the step: extrapolated to none
            const double s = 2 * relaxed(time, 20000) - relaxed(time, 10000);
            EXPECT_NEAR(s, c.expected[k], std::max(5.1e-5, printed(c.expected[k], 6)))
                << c.name << k;
        }
    }
}

// Oracle O6 for small strain, here with a modulus a thousand times larger: x = x0 exp(-2 mu t/eta)
// for h = 1, else x^(1 - 1/h) = x0^(1 - 1/h) - (1 - 1/h) 2 mu eta^(-1/h) t.
TEST(FoamReturnMap, RelaxesByPowersWhenStrainIsSmall) {
    for (const char* name : all_foams) {
        FoamLaw law = foam(name);
        law.elastic.mu = 1e3 * law.elastic.mu;
        const double mu = law.elastic.mu, p = 1 / law.flow.exponent, eta = law.flow.viscosity;
        const double s0 = std::max(3 * law.flow.yield_radius, law.flow.yield_radius + 20);
        const double x0 = s0 - law.flow.yield_radius;
        const double t = 0.5 * std::pow(eta, p) * std::pow(x0, 1 - p) / (2 * mu);
        const double x =
            p == 1 ? x0 * std::exp(-2 * mu * t / eta)
                   : std::pow(std::pow(x0, 1 - p) - (1 - p) * 2 * mu * std::pow(eta, -p) * t,
                              1 / (1 - p));
        const auto relaxed = [&](int count) {
            auto state = MaterialState<double>::rest();
            const double g = s0 / (std::sqrt(2.0) * mu);
            state.b = law.unimodular(Sym3d{1 + g * g, 1, 1, g, 0, 0});
            for (int n = 0; n < count; ++n) state.b = law.flowed(state.b, t / count);
            return stress_norm(law, state.b);
        };
        const double s = 2 * relaxed(20000) - relaxed(10000);
        EXPECT_NEAR(s, law.flow.yield_radius + x, 2e-5 * s0) << name;
    }
}

// Oracle O7.
TEST(FoamMotion, CarriesStressThroughRotation) {
    Random random;
    const FoamLaw law = foam("shaving-cream");
    auto state = drive(law, mixed_flow, 0.002, 100);  // below yield
    const auto before = state;
    const Mat3d Q = random.rotation();
    law.advance(state, Q - identity3<double>(), 1e-5);
    EXPECT_LT(largest(state.b - rotated(Q, before.b)), 1e-14);
    EXPECT_NEAR(state.dilation, before.dilation, 3e-15);
    EXPECT_NEAR(stress_norm(law, state.b) / stress_norm(law, before.b), 1, 1e-14);
}

// f' = Q_{n+1} f Q_n^T gives b' = Q b Q^T for any rotations Q_n.
TEST(FoamMotion, IsObjective) {
    Random random;
    const FoamLaw law = foam("shaving-cream");
    const double dt = 2e-4;
    const Mat3d f = identity3<double>() + dt * mixed_flow;
    auto plain = MaterialState<double>::rest(), turned = plain;
    Mat3d Q = identity3<double>();
    for (int k = 0; k < 1000; ++k) {
        const Mat3d next = random.rotation();
        law.advance(plain, dt * mixed_flow, dt);
        law.advance(turned, next * f * transpose(Q) - identity3<double>(), dt);
        Q = next;
    }
    EXPECT_NEAR(stress_norm(law, plain.b), 65.4903, 5e-5);
    EXPECT_NEAR(stress_norm(law, turned.b) / stress_norm(law, plain.b), 1, 1e-14);
    EXPECT_LT(largest(turned.b - rotated(Q, plain.b)), 1e-14);
}

// det(I + dt W) = 1 + (omega dt)^2 exactly, every step.
TEST(FoamMotion, SpinInflatesByItsSquare) {
    const FoamLaw law = foam("shaving-cream");
    const double turn = 1e-3;
    auto state = MaterialState<double>::rest();
    law.advance(state, Mat3d{0, -turn, 0, turn, 0, 0, 0, 0, 0}, 1e-5);
    EXPECT_NEAR(state.dilation, turn * turn, 1e-21);
    for (int k = 1; k < 100; ++k) law.advance(state, Mat3d{0, -turn, 0, turn, 0, 0, 0, 0, 0}, 1e-5);
    EXPECT_NEAR(state.dilation, std::expm1(100 * std::log1p(turn * turn)), 1e-18);
}

// Oracle O10: a return map that keeps the trace and shrinks the deviator can only raise the
// determinant, and leaves it where nothing flows; what brings it back to one only shrinks b.
TEST(FoamMotion, ReturnMapsRaiseTheDeterminantBeforeItIsBroughtBack) {
    Random random;
    for (const char* name : all_foams) {
        const FoamLaw law = foam(name);
        for (int sample = 0; sample < 200; ++sample) {
            const Mat3d F = random.deformation(0.3);
            const Sym3d pre = law.unimodular(gram_rows(F));
            const double s = stress_norm(law, pre), third = trace(pre) / 3;
            if (s <= law.flow.yield_radius) continue;
            const double left = law.flow.relaxed(s, third * law.elastic.mu, 1e-5);
            const Sym3d returned = (left / s) * deviator(pre) + third * sym_identity<double>();
            EXPECT_GE(determinant(returned), 1 - 1e-15) << name;
            Sym3d b = pre;
            b = law.flowed(b, 1e-5);
            EXPECT_LE(stress_norm(law, b), left * (1 + 1e-15)) << name;
            EXPECT_LT(largest(b - std::pow(determinant(returned), -1.0 / 3) * returned), 1e-14);
        }
    }
}

TEST(FoamMotion, KeepsTheDeterminantOfBAtOne) {
    for (const char* name : all_foams) {
        const FoamLaw law = foam(name);
        auto state = MaterialState<double>::rest();
        for (int k = 0; k < 2000; ++k) {
            law.advance(state, 1e-3 * mixed_flow, 1e-3);
            ASSERT_NEAR(determinant(state.b), 1, 1e-14) << name << k;
        }
        const auto narrow =
            std::get<Foam<float, HerschelBulkley<float>>>(make_law<float>(*find_preset(name)));
        auto state_f = MaterialState<float>::rest();
        for (int k = 0; k < 2000; ++k) {
            narrow.advance(state_f, Mat3f(1e-3 * mixed_flow), 1e-3f);
            ASSERT_NEAR(determinant(state_f.b), 1, 1e-6) << name << k;
        }
    }
}

// A float dilation of 1e-6 keeps its digits, where det F would have lost them.
TEST(FoamMotion, KeepsSmallDilationsInFloat) {
    const auto law =
        std::get<Foam<float, HerschelBulkley<float>>>(make_law<float>(*find_preset("pie")));
    auto state = MaterialState<float>::rest();
    for (int k = 0; k < 1000; ++k) law.advance(state, 1e-9f * identity3<float>(), 1e-5f);
    EXPECT_NEAR(state.dilation, std::pow(1 + 1e-9, 3000) - 1, 1e-5 * 3e-6);
    EXPECT_NEAR(law.energy(state), 0.5 * 109e3 * 9e-12, 1e-3 * 0.5 * 109e3 * 9e-12);
}

}  // namespace
}  // namespace knead::test
