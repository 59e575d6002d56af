#include "knead/mpm/foam/heal.h"

#include <algorithm>

#include "knead/mpm/pack_columns.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

// Loads the state of every pack, lets change(law, state) work on it, stores it with its stress.
template <class Real, class L, class Change>
void for_each_pack(const L& law, Particles<Real>& p, const Change& change) {
    constexpr std::size_t lanes = pack_lanes<Real>;
    const std::size_t packs = (p.size() + lanes - 1) / lanes;
    for_each(packs, 512, [&](std::size_t k) {
        const std::size_t row = k * lanes;
        const int count = static_cast<int>(std::min(lanes, p.size() - row));
        auto state = load_state<L::columns>(p, row, count);
        change(state);
        store_state<L::columns>(p, row, count, state);
        store_column<Real>(p.stress, row, count, law.stress(state));
    });
}

}  // namespace

template <class Real>
void heal_particles(const Law<Real>& law, Particles<Real>& p, double dt) {
    std::visit(
        [&](const auto& one) {
            if constexpr (std::remove_cvref_t<decltype(one)>::columns & uses_weak)
                for_each_pack(one, p, [&](auto& state) { one.heal(state, static_cast<Real>(dt)); });
        },
        law);
}

template <class Real>
void refresh_stress(const Law<Real>& law, Particles<Real>& p) {
    std::visit(
        [&](const auto& one) {
            for_each_pack(one, p, [&](auto& state) {
                if constexpr (std::remove_cvref_t<decltype(one)>::columns & uses_weak)
                    one.detect_tearing(state);
            });
        },
        law);
}

template void heal_particles(const Law<float>&, Particles<float>&, double);
template void heal_particles(const Law<double>&, Particles<double>&, double);
template void refresh_stress(const Law<float>&, Particles<float>&);
template void refresh_stress(const Law<double>&, Particles<double>&);

}  // namespace knead
