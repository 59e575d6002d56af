// What materials remember, in a table of particles.
#pragma once

#include "knead/particles/particles.h"

namespace knead {

// Rows [begin, end) of every state column that is present, at rest.
template <class Real>
void set_at_rest(Particles<Real>& particles, std::size_t begin, std::size_t end);

// Creates the state columns of which `columns` has a bit, at rest.
template <unsigned columns, class Real>
void create_state_columns(Particles<Real>& p) {
    for_each_state_column(
        [&](auto state, auto& column) {
            if constexpr (columns & state.bit) column.create(p.size());
        },
        p);
    set_at_rest(p, 0, p.size());
}

// The state of one particle, as far as `columns` has a bit for it.
template <unsigned columns, class Real>
MaterialState<Real> state_of(const Particles<Real>& p, std::size_t i) {
    auto s = MaterialState<Real>::rest();
    for_each_state_column(
        [&](auto state, auto& member, const auto& column) {
            if constexpr (columns & state.bit)
                for (int k = 0; k < column.planes; ++k) numbers_of(member)[k] = column.at(i, k);
        },
        s, p);
    return s;
}

}  // namespace knead
