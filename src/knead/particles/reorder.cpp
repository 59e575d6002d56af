#include "knead/particles/reorder.h"

#include <tuple>

#include "knead/base/check.h"
#include "knead/parallel/exec.h"

namespace knead {

template <class Real>
void reorder(Particles<Real>& particles, const std::vector<std::uint32_t>& order) {
    CHECK(order.size() == particles.size(), "%zu rows, order of %zu", particles.size(),
          order.size());
    // One spare plane a type: each plane moves into it and leaves its own memory as the next spare.
    std::tuple<Array<Real>, Array<std::conditional_t<sizeof(Real) == 4, double, float>>,
               Array<std::int64_t>, Array<std::int32_t>>
        spare;
    particles.for_each_column([&](const ColumnInfo&, auto& column) {
        if (!column.present()) return;
        using Scalar = typename std::remove_reference_t<decltype(column)>::Scalar;
        auto& moved = std::get<Array<Scalar>>(spare);
        moved.resize(order.size());
        for (int k = 0; k < column.planes; ++k) {
            const Scalar* from = column.plane(k);
            for_each(order.size(), 1 << 14, [&](std::size_t i) { moved[i] = from[order[i]]; });
            column.swap_plane(k, moved);
        }
    });
}

template void reorder(Particles<float>&, const std::vector<std::uint32_t>&);
template void reorder(Particles<double>&, const std::vector<std::uint32_t>&);

}  // namespace knead
