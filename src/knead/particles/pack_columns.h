// Columns of a table as packs of a few particles, and back.
#pragma once

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

}  // namespace knead
