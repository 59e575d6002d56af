#include "knead/mpm/foam/resample/fields.h"

#include "knead/materials/law.h"
#include "knead/mpm/foam/resample/field_layout.h"

namespace knead {

namespace {

// The numbers of a row for a law: a one, velocity, affine motion, J - 1 and what it averages.
template <class L>
constexpr int field_numbers() {
    int n = 1 + 3 + 9 + 1;
    const MaterialState<double> state{};
    for_each_state_column(
        [&n](auto column, const auto& member) {
            if (column.info.averaged && (L::columns & column.bit) != 0)
                n += static_cast<int>(sizeof(member) / sizeof(double));
        },
        state);
    return n;
}
template <class... L>
constexpr bool have_room(std::type_identity<std::variant<L...>>) {
    return ((field_numbers<L>() <= static_cast<int>(std::tuple_size_v<FieldRow>)) && ...);
}
static_assert(have_room(std::type_identity<Law<double>>{}), "a law averages more than a row holds");

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
