// Columns of a table as packs of a few particles, and back.
#pragma once

#include "knead/materials/material_state.h"
#include "knead/math/wide.h"
#include "knead/particles/particles.h"

namespace knead {

// `value` is a pack, or a Vec3, Sym3 or Mat3 of packs. Lanes past `count` are harmless: zero, or
// the identity for a deformation gradient.
template <class Real, class Column, class Value>
inline void load_column(const Column& column, std::size_t row, int count, Value& value) {
    using P = Pack<Real>;
    for (int k = 0; k < Column::planes; ++k)
        (&reinterpret_cast<P&>(value))[k] = P::load_part(
            column.plane(k) + row, count, Real(Column::planes == 9 && k % 4 == 0 ? 1 : 0));
}
template <class Real, class Column, class Value>
inline void store_column(Column& column, std::size_t row, int count, const Value& value) {
    using P = Pack<Real>;
    for (int k = 0; k < Column::planes; ++k)
        (&reinterpret_cast<const P&>(value))[k].store_part(column.plane(k) + row, count);
}

// The columns a law uses.
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
