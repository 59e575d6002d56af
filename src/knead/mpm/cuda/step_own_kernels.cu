// Laws that have kernels of their own, because many particles follow them: the one a law is made
// for, in the transfer it is used with. Everything else runs through AnyLaw.
#include "knead/mpm/cuda/launch_step.h"

namespace knead {

namespace {

using Jelly = PolarSolid<float, FixedCorotated<float>>;
using Cream = TearingFoam<float, HerschelBulkley<float>>;

bool is_quadratic_apic(const MpmSettings& s) {
    return s.kernel == 2 && s.transfer == Transfer::apic;
}
bool is_cubic_flip(const MpmSettings& s) { return s.kernel == 3 && s.transfer == Transfer::flip; }

}  // namespace

template <>
void launch_step(const Law<float>& law, const MpmSettings& settings, const ParticleView& p,
                 const GridView& grid, const StepView& step, const SourceLists& sources,
                 cudaStream_t stream) {
    const auto quadratic = [&](const auto& one) {
        launch_step_kernels<std::remove_cvref_t<decltype(one)>, 2, Transfer::apic>(
            one, p, grid, step, sources, stream);
    };
    const auto* jelly = std::get_if<Jelly>(&law);
    const auto* sand = std::get_if<Sand<float>>(&law);
    const auto* fluid = std::get_if<Fluid<float>>(&law);
    const auto* cream = std::get_if<Cream>(&law);
    if (jelly && is_quadratic_apic(settings)) return quadratic(*jelly);
    if (sand && is_quadratic_apic(settings)) return quadratic(*sand);
    if (fluid && is_quadratic_apic(settings)) return quadratic(*fluid);
    if (cream && is_cubic_flip(settings))
        return launch_step_kernels<Cream, 3, Transfer::flip>(*cream, p, grid, step, sources,
                                                             stream);
    launch_step(AnyLaw(law), settings, p, grid, step, sources, stream);
}

}  // namespace knead
