#include "knead/points/cell_order.h"

#include "knead/particles/point_grid.h"

namespace knead {

template <class Real>
std::vector<std::vector<std::uint32_t>> cell_order(const std::vector<Phase<Real>>& phases,
                                                   double cell) {
    const PointGrid grid(phases, cell);
    std::vector<std::vector<std::uint32_t>> order(phases.size());
    for (std::size_t i = 0; i < grid.size(); ++i)
        order[grid.ref(i).phase].push_back(grid.ref(i).row);
    return order;
}

template std::vector<std::vector<std::uint32_t>> cell_order(const std::vector<Phase<float>>&,
                                                            double);
template std::vector<std::vector<std::uint32_t>> cell_order(const std::vector<Phase<double>>&,
                                                            double);

}  // namespace knead
