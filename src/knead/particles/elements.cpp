#include "knead/particles/elements.h"

#include "knead/parallel/exec.h"

namespace knead {

template <class Real>
void reorder_elements(Elements<Real>& elements, const std::vector<std::uint32_t>& order) {
    Elements<Real>::for_each_column(elements, [&](const char*, auto& array) {
        if (array.empty()) return;
        std::remove_reference_t<decltype(array)> moved(order.size());
        for_each(order.size(), 1 << 14, [&](std::size_t i) { moved[i] = array[order[i]]; });
        array = std::move(moved);
    });
}

template void reorder_elements(Elements<float>&, const std::vector<std::uint32_t>&);
template void reorder_elements(Elements<double>&, const std::vector<std::uint32_t>&);

}  // namespace knead
