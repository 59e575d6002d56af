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

inline constexpr std::size_t max_fields = 3 + 9 + 9 + 6 + 1 + 1 + 1 + 1;

// Sums of fields, each times a weight.
struct FieldSum {
    std::array<double, max_fields> value{};
    double weight = 0;
};

template <class Real>
void add_fields(const Particles<Real>& p, std::size_t row, double weight, FieldSum& sum) {
    std::size_t n = 0;
    for_each_field(p, [&](const auto& column) {
        for (int k = 0; k < column.planes; ++k)
            sum.value[n++] += weight * static_cast<double>(column.at(row, k));
    });
    if (p.F.present() && !p.dilation.present())
        sum.value[n] += weight * (static_cast<double>(determinant(p.F.mat(row))) - 1);
    sum.weight += weight;
}

// Writes the mean to a row, with det b = 1 and det F = J restored. Where the mean of F is no
// deformation, because its parts were turned against each other, F, J and b are those of `donor`.
template <class Real>
void set_fields(Particles<Real>& p, std::size_t row, const FieldSum& sum, std::size_t donor);

}  // namespace knead
