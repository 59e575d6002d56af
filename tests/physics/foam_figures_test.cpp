// Claims of the paper's figures 3 and 11, in small.
#include <gtest/gtest.h>

#include "foam_bodies.h"
#include "support/long_run.h"

namespace knead {

using testing::Simulation;

namespace {

// How far a cube of shaving cream has sunk below the shaken plate it hangs from [m].
double sag_under_shaken_plate(double viscosity, double exponent) {
    const double dx = 5e-3, side = 6 * dx;
    Material cream = *find_preset("shaving-cream");
    cream.flow.viscosity = viscosity;
    cream.flow.exponent = exponent;
    MpmSettings settings = testing::foam_settings(dx, 2.8e-5);
    // A tenth of a cell into the foam, so that the nodes at its face are inside without doubt.
    Collider plate =
        testing::plate("plate", {side / 2, side + 0.0095, side / 2}, {0.03, 0.01, 0.03});
    plate.motion.amplitude = {0.02, 0, 0};
    plate.motion.frequency = 5;
    plate.motion.ramp = 0.2;
    Simulation<float> sim(settings, {cream}, {plate}, {0, -9.81, 0},
                          {testing::cube_body<float>(dx, 6, cream.density)});
    const double start = sim.center().y;
    EXPECT_TRUE(sim.run_to(0.4));
    return start - sim.center().y;
}

// Fig. 3: without viscosity the foam flows from the onset; Herschel-Bulkley foam still vibrates.
TEST(FoamFigures, PerfectPlasticityFlowsWhereHerschelBulkleyStillVibrates) {
    LONG_RUN();
    const double perfect = sag_under_shaken_plate(0, 0.22);
    const double herschel_bulkley = sag_under_shaken_plate(27.2, 0.22);
    EXPECT_GT(perfect, 3 * herschel_bulkley) << herschel_bulkley;
    EXPECT_LT(herschel_bulkley, 2e-3);
}

// Mean |dev C_p| of a phase, and the share of it that is torn.
struct Damage {
    double strain, torn;
};
Damage damage_of(const Particles<float>& p) {
    Damage d{0, 0};
    for (std::size_t i = 0; i < p.size(); ++i) {
        MaterialState<double> s = MaterialState<double>::rest();
        s.F = static_cast<Mat3d>(p.F.mat(i));
        for (int k = 0; k < 6; ++k) s.b[k] = static_cast<double>(p.b.at(i, k));
        const Sym3d strain = TearingFoam<double, NoFlow>::plastic_strain(s);
        d.strain += std::sqrt(norm_squared(deviator(strain)));
        d.torn += static_cast<double>(p.weak.at(i));
    }
    const auto n = static_cast<double>(p.size());
    return {d.strain / n, d.torn / n};
}

// Fig. 11: pressed between plates, the stiff shell cracks before the soft inside has flowed far.
TEST(FoamFigures, ToastedShellCracksBeforeTheInsideFlows) {
    LONG_RUN();
    const double dx = 2.5e-3, half = 10 * dx / 2;
    const Material inside = *find_preset("smore-interior"), shell = *find_preset("smore-exterior");
    const auto core = [&](const Vec3d& x) {
        return std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)}) < half - 1.5 * dx;
    };
    Phase<float> soft =
        testing::lattice_body<float>(dx, {-10, -10, -10}, {10, 10, 10}, inside.density, core);
    Phase<float> stiff = testing::lattice_body<float>(
        dx, {-10, -10, -10}, {10, 10, 10}, shell.density, [&](const Vec3d& x) { return !core(x); });
    stiff.material = 1;
    Collider upper = testing::plate("upper", {0, half + 0.01, 0}, {0.04, 0.01, 0.04});
    Collider lower = testing::plate("lower", {0, -half - 0.01, 0}, {0.04, 0.01, 0.04});
    upper.motion.velocity = {0, -0.2, 0};
    Simulation<float> sim(testing::foam_settings(dx, 6e-5), {inside, shell}, {upper, lower},
                          {0, 0, 0}, {std::move(soft), std::move(stiff)});
    double cracked = -1, flowed = -1;
    for (int ms = 1; ms <= 50 && flowed < 0; ++ms) {
        ASSERT_TRUE(sim.run_to(1e-3 * ms));
        if (cracked < 0 && damage_of(sim.phases[1].particles).torn > 0.02) cracked = sim.time;
        if (damage_of(sim.phases[0].particles).strain > 0.5) flowed = sim.time;
    }
    ASSERT_GT(cracked, 0);
    ASSERT_GT(flowed, 0);
    EXPECT_LT(cracked, 0.7 * flowed);
}

}  // namespace

}  // namespace knead
