// The columns that a law uses as packs of a few particles, and back.
#pragma once

#include "knead/materials/material_state.h"
#include "knead/particles/pack_columns.h"

namespace knead {

template <unsigned columns, class Real>
inline MaterialState<Pack<Real>> load_state(const Particles<Real>& p, std::size_t row, int count) {
    MaterialState<Pack<Real>> s;
#define KNEAD_LOAD(name, ...) \
    if constexpr (columns & uses_##name) load_column<Real>(p.name, row, count, s.name);
    KNEAD_FOR_EACH_STATE_COLUMN(KNEAD_LOAD)
#undef KNEAD_LOAD
    return s;
}
template <unsigned columns, class Real>
inline void store_state(Particles<Real>& p, std::size_t row, int count,
                        const MaterialState<Pack<Real>>& s) {
#define KNEAD_STORE(name, ...) \
    if constexpr (columns & uses_##name) store_column<Real>(p.name, row, count, s.name);
    KNEAD_FOR_EACH_STATE_COLUMN(KNEAD_STORE)
#undef KNEAD_STORE
}

}  // namespace knead
