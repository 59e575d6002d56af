#include "knead/mpm/foam/heal.h"

#include <algorithm>

#include "knead/mpm/pack_columns.h"
#include "knead/parallel/exec.h"

namespace knead {

template <class Real>
void heal_particles(const Law<Real>& law, Particles<Real>& p, double dt) {
    constexpr std::size_t lanes = pack_lanes<Real>;
    std::visit(
        [&](const auto& one) {
            using L = std::remove_cvref_t<decltype(one)>;
            if constexpr (L::columns & uses_weak) {
                const std::size_t packs = (p.size() + lanes - 1) / lanes;
                for_each(packs, 512, [&](std::size_t k) {
                    const std::size_t row = k * lanes;
                    const int count = static_cast<int>(std::min(lanes, p.size() - row));
                    auto state = load_state<L::columns>(p, row, count);
                    one.heal(state, static_cast<Real>(dt));
                    store_state<L::columns>(p, row, count, state);
                    store_column<Real>(p.stress, row, count, one.stress(state));
                });
            }
        },
        law);
}

template void heal_particles(const Law<float>&, Particles<float>&, double);
template void heal_particles(const Law<double>&, Particles<double>&, double);

}  // namespace knead
