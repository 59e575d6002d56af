#include "knead/mpm/foam/resample/fields.h"

#include "knead/mpm/foam/resample/field_layout.h"

namespace knead {

namespace {

template <class Real>
FieldLayout layout_of(const Particles<Real>& p) {
    FieldLayout at;
    int n = 1;
    for_each_field(p, [&](const auto& column) {
        const void* address = &column;
        if (address == &p.F) at.F = n;
        if (address == &p.b) at.b = n;
        if (address == &p.dilation) at.dilation = n;
        n += column.planes;
    });
    if (!p.dilation.present()) at.dilation = n;
    return at;
}

}  // namespace

template <class Real>
void set_fields(Particles<Real>& p, std::size_t row, const FieldRow& sum, std::size_t donor) {
    FieldRow mean = sum;
    for (double& value : mean) value /= sum[0];
    const bool deformed = layout_of(p).restore(mean.data());
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
