#include "knead/mpm/foam/resample/fields.h"

#include <cmath>

namespace knead {

namespace {

// Where F, b and J - 1 stand in the row of numbers.
struct Layout {
    std::size_t F = 0, b = 0, dilation = 0;
};

template <class Real>
Layout layout_of(const Particles<Real>& p) {
    Layout at;
    std::size_t n = 1;
    for_each_field(p, [&](const auto& column) {
        const void* address = &column;
        if (address == &p.F) at.F = n;
        if (address == &p.b) at.b = n;
        if (address == &p.dilation) at.dilation = n;
        n += static_cast<std::size_t>(column.planes);
    });
    if (!p.dilation.present()) at.dilation = n;
    return at;
}

}  // namespace

template <class Real>
void set_fields(Particles<Real>& p, std::size_t row, const FieldRow& sum, std::size_t donor) {
    FieldRow mean = sum;
    for (double& value : mean) value /= sum[0];
    const Layout at = layout_of(p);

    bool deformed = true;
    if (p.F.present()) {
        Mat3d F;
        for (int k = 0; k < 9; ++k) F[k] = mean[at.F + static_cast<std::size_t>(k)];
        const double J = 1 + mean[at.dilation], det = determinant(F);
        deformed = det > 1e-3;
        for (std::size_t k = 0; k < 9; ++k) mean[at.F + k] *= std::cbrt(J / det);
    }
    if (p.b.present()) {
        Sym3d b;
        for (int k = 0; k < 6; ++k) b[k] = mean[at.b + static_cast<std::size_t>(k)];
        const double scale = 1 / std::cbrt(determinant(b));
        for (std::size_t k = 0; k < 6; ++k) mean[at.b + k] *= scale;
    }
    std::size_t n = 1;
    for_each_field(p, [&](auto& column) {
        const void* address = &column;
        const bool copied =
            !deformed && (address == &p.F || address == &p.b || address == &p.dilation);
        for (int k = 0; k < column.planes; ++k, ++n)
            column.at(row, k) = copied ? column.at(donor, k) : static_cast<Real>(mean[n]);
    });
}

template void set_fields(Particles<float>&, std::size_t, const FieldRow&, std::size_t);
template void set_fields(Particles<double>&, std::size_t, const FieldRow&, std::size_t);

}  // namespace knead
