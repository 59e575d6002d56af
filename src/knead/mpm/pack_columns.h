// The columns that a law uses as packs of a few particles, and back.
#pragma once

#include "knead/materials/material_state.h"
#include "knead/particles/pack_columns.h"

namespace knead {

template <unsigned columns, class Real>
inline MaterialState<Pack<Real>> load_state(const Particles<Real>& p, std::size_t row, int count) {
    MaterialState<Pack<Real>> s;
    if constexpr (columns & uses_F) load_column<Real>(p.F, row, count, s.F);
    if constexpr (columns & uses_b) load_column<Real>(p.b, row, count, s.b);
    if constexpr (columns & uses_dilation) load_column<Real>(p.dilation, row, count, s.dilation);
    if constexpr (columns & uses_hardening) load_column<Real>(p.hardening, row, count, s.hardening);
    if constexpr (columns & uses_volume_correction)
        load_column<Real>(p.volume_correction, row, count, s.volume_correction);
    if constexpr (columns & uses_weak) load_column<Real>(p.weak, row, count, s.weak);
    return s;
}
template <unsigned columns, class Real>
inline void store_state(Particles<Real>& p, std::size_t row, int count,
                        const MaterialState<Pack<Real>>& s) {
    if constexpr (columns & uses_F) store_column<Real>(p.F, row, count, s.F);
    if constexpr (columns & uses_b) store_column<Real>(p.b, row, count, s.b);
    if constexpr (columns & uses_dilation) store_column<Real>(p.dilation, row, count, s.dilation);
    if constexpr (columns & uses_hardening)
        store_column<Real>(p.hardening, row, count, s.hardening);
    if constexpr (columns & uses_volume_correction)
        store_column<Real>(p.volume_correction, row, count, s.volume_correction);
    if constexpr (columns & uses_weak) store_column<Real>(p.weak, row, count, s.weak);
}

}  // namespace knead
