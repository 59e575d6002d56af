#include "knead/mpm/material_columns.h"

#include "knead/parallel/exec.h"

namespace knead {

namespace {

// The state of one particle, as far as the law uses it.
template <unsigned columns, class Real>
MaterialState<Real> state_of(const Particles<Real>& p, std::size_t i) {
    auto s = MaterialState<Real>::rest();
    if constexpr (columns & uses_F) s.F = p.F.mat(i);
    if constexpr (columns & uses_b) s.b = p.b.sym(i);
    if constexpr (columns & uses_dilation) s.dilation = p.dilation.at(i);
    if constexpr (columns & uses_hardening) s.hardening = p.hardening.at(i);
    if constexpr (columns & uses_volume_correction) s.volume_correction = p.volume_correction.at(i);
    if constexpr (columns & uses_weak) s.weak = p.weak.at(i);
    return s;
}

}  // namespace

template <class Real>
void create_material_columns(const Law<Real>& law, Particles<Real>& p) {
    const std::size_t n = p.size();
    std::visit(
        [&](const auto& one) {
            constexpr unsigned columns = std::remove_cvref_t<decltype(one)>::columns;
            const auto rest = MaterialState<Real>::rest();
            if constexpr (columns & uses_F) p.F.create(n);
            if constexpr (columns & uses_b) p.b.create(n);
            if constexpr (columns & uses_dilation) p.dilation.create(n);
            if constexpr (columns & uses_hardening) p.hardening.create(n);
            if constexpr (columns & uses_volume_correction) p.volume_correction.create(n);
            if constexpr (columns & uses_weak) p.weak.create(n);
            p.stress.create(n);
            const Sym3<Real> tau = one.stress(rest);
            for_each(n, 1 << 12, [&](std::size_t i) {
                if constexpr (columns & uses_F) p.F.set(i, rest.F);
                if constexpr (columns & uses_b) p.b.set(i, rest.b);
                p.stress.set(i, tau);
            });
        },
        law);
}

template <class Real>
double stored_energy(const Law<Real>& law, const Particles<Real>& p) {
    return std::visit(
        [&](const auto& one) {
            constexpr unsigned columns = std::remove_cvref_t<decltype(one)>::columns;
            return reduce(
                p.size(), 0.0,
                [&](std::size_t i) {
                    return static_cast<double>(p.volume.at(i)) *
                           static_cast<double>(one.energy(state_of<columns>(p, i)));
                },
                [](double a, double b) { return a + b; });
        },
        law);
}

template void create_material_columns(const Law<float>&, Particles<float>&);
template void create_material_columns(const Law<double>&, Particles<double>&);
template double stored_energy(const Law<float>&, const Particles<float>&);
template double stored_energy(const Law<double>&, const Particles<double>&);

}  // namespace knead
