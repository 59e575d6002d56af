// The particle columns that are samples of a field, as a row of numbers, so that means can be taken
// of them. Volume change J stands apart from F: where no column keeps it, it is det F.
#pragma once

#include <array>

#include "knead/particles/particles.h"

namespace knead {

// visit(column) for every field column that is present.
template <class Table, class Visit>
void for_each_field(Table& p, Visit&& visit) {
    const auto present = [&](auto& column) {
        if (column.present()) visit(column);
    };
    present(p.v);
    present(p.C);
    for_each_state_column(
        [&](auto state, auto& column) {
            if (state.info.averaged) present(column);
        },
        p);
}

// A one, then the numbers of all fields, then J - 1 where no column keeps it; room for whole packs.
// Sums of rows times weights start with the sum of the weights.
template <class Value>
using FieldRowOf = std::array<Value, 32>;
using FieldRow = FieldRowOf<double>;

// Column by column, which is how they lie in memory. What is beyond the last number is left alone.
template <class Value, class Real>
void read_fields(const Particles<Real>& p, const std::uint32_t* rows, std::size_t count,
                 FieldRowOf<Value>* fields) {
    for (std::size_t i = 0; i < count; ++i) fields[i][0] = 1;
    std::size_t n = 1;
    for_each_field(p, [&](const auto& column) {
        for (int k = 0; k < column.planes; ++k, ++n) {
            const Real* plane = column.plane(k);
            for (std::size_t i = 0; i < count; ++i)
                fields[i][n] = static_cast<Value>(plane[rows[i]]);
        }
    });
    if (p.F.present() && !p.dilation.present())
        for (std::size_t i = 0; i < count; ++i)
            fields[i][n] = static_cast<Value>(determinant(p.F.mat(rows[i]))) - 1;
}

// How much of a row is in use, in whole packs of eight.
template <class Real>
std::size_t used_fields(const Particles<Real>& p) {
    std::size_t n = 2;
    for_each_field(p, [&](const auto& column) { n += static_cast<std::size_t>(column.planes); });
    return (n + 7) / 8 * 8;
}

template <class Value>
void add_row(FieldRow& sum, double weight, const FieldRowOf<Value>& row, std::size_t used) {
    for (std::size_t k = 0; k < used; k += 8)
        for (std::size_t l = k; l < k + 8; ++l) sum[l] += weight * static_cast<double>(row[l]);
}

// Writes the mean to a row, with det b = 1 and det F = J restored. Where the mean of F is no
// deformation, because its parts were turned against each other, F, J and b are those of `donor`.
template <class Real>
void set_fields(Particles<Real>& p, std::size_t row, const FieldRow& sum, std::size_t donor);

}  // namespace knead
