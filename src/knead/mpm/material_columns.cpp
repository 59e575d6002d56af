#include "knead/mpm/material_columns.h"

#include "knead/parallel/exec.h"
#include "knead/particles/state_columns.h"

namespace knead {

template <class Real>
void create_material_columns(const Law<Real>& law, Particles<Real>& p) {
    const std::size_t n = p.size();
    std::visit(
        [&](const auto& one) {
            constexpr unsigned columns = std::remove_cvref_t<decltype(one)>::columns;
            create_state_columns<columns>(p);
            p.stress.create(n);
            const Sym3<Real> tau = one.stress(MaterialState<Real>::rest());
            for_each(n, 1 << 12, [&](std::size_t i) { p.stress.set(i, tau); });
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
