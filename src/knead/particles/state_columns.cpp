#include "knead/particles/state_columns.h"

#include "knead/parallel/exec.h"

namespace knead {

template <class Real>
void set_at_rest(Particles<Real>& p, std::size_t begin, std::size_t end) {
    for_each_state_column(
        [&](auto state, auto& column) {
            for (int k = 0; column.present() && k < column.planes; ++k) {
                const auto rest = static_cast<Real>(rest_number(state.info.rest, column.planes, k));
                Real* const plane = column.plane(k) + begin;
                for_each(end - begin, 1 << 14, [&](std::size_t i) { plane[i] = rest; });
            }
        },
        p);
}

template void set_at_rest(Particles<float>&, std::size_t, std::size_t);
template void set_at_rest(Particles<double>&, std::size_t, std::size_t);

}  // namespace knead
