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
    present(p.F);
    present(p.b);
    present(p.dilation);
    present(p.hardening);
    present(p.volume_correction);
}

// A one, then the numbers of all fields, then J - 1 where no column keeps it; room for whole packs.
// Sums of rows times weights start with the sum of the weights.
using FieldRow = std::array<double, 32>;

template <class Real>
FieldRow read_fields(const Particles<Real>& p, std::size_t row) {
    FieldRow fields{1};
    std::size_t n = 1;
    for_each_field(p, [&](const auto& column) {
        for (int k = 0; k < column.planes; ++k)
            fields[n++] = static_cast<double>(column.at(row, k));
    });
    if (p.F.present() && !p.dilation.present())
        fields[n] = static_cast<double>(determinant(p.F.mat(row))) - 1;
    return fields;
}

// How much of a row is in use, in whole packs of four.
template <class Real>
std::size_t used_fields(const Particles<Real>& p) {
    std::size_t n = 2;
    for_each_field(p, [&](const auto& column) { n += static_cast<std::size_t>(column.planes); });
    return (n + 3) / 4 * 4;
}

inline void add_row(FieldRow& sum, double weight, const FieldRow& row, std::size_t used) {
    for (std::size_t k = 0; k < used; k += 4)
        for (std::size_t l = k; l < k + 4; ++l) sum[l] += weight * row[l];
}

// Writes the mean to a row, with det b = 1 and det F = J restored. Where the mean of F is no
// deformation, because its parts were turned against each other, F, J and b are those of `donor`.
template <class Real>
void set_fields(Particles<Real>& p, std::size_t row, const FieldRow& sum, std::size_t donor);

}  // namespace knead
