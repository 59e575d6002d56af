// What the point methods make of a material.
#include "knead/materials/stretch_law.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knead/materials/presets.h"
#include "knead/math/svd.h"

namespace knead {
namespace {

const Mat3d mixed_flow{1, 8, 0, -2, 0.5, 3, 0, 1, -1.2};  // [1/s]

// F through a step of flow, as both methods take it.
Mat3d flowed(const StretchLaw<double>& law, const Mat3d& F, double dt) {
    const Svd3<double> d = svd(F);
    const auto& elastic = std::get<CrushableNeoHookean<double>>(law.elastic);
    const double share = law.radial_share(d.sigma, law.flow_stress(elastic, d.sigma), dt);
    const Vec3d kept = law.flowed(*law.flow, log(d.sigma), share);
    return d.U * diagonal(exp(kept)) * transpose(d.V);
}

}  // namespace

// Pastes and foams flow by stretches as they do on the grid by the tensor b [Yue 2015, Eq. 12-18]:
// the same 1000 steps of a mixed flow, for every preset with that rule.
TEST(StretchLaw, FoamsFlowAsOnTheGrid) {
    int count = 0;
    for (const Material& m : material_presets()) {
        if (m.elastic.law != ElasticLaw::neo_hookean || m.flow.rule == FlowRule::none) continue;
        const auto grid = std::get<Foam<double, HerschelBulkley<double>>>(make_law<double>(m));
        const auto law = make_stretch_law<double>(m);
        auto state = MaterialState<double>::rest();
        Mat3d F = identity3<double>();
        const double dt = 2e-4;
        for (int k = 0; k < 1000; ++k) {
            grid.advance(state, dt * mixed_flow, dt);
            F = flowed(law, F + dt * mixed_flow * F, dt);
        }
        const Sym3d tau = grid.stress(state);
        const Svd3<double> d = svd(F);
        const Sym3d got =
            congruence(d.U, std::get<CrushableNeoHookean<double>>(law.elastic).kirchhoff(d.sigma));
        EXPECT_LT(std::sqrt(norm_squared(got - tau) / norm_squared(tau)), 1e-9) << m.name;
        ++count;
    }
    EXPECT_GE(count, 12);
}

}  // namespace knead
