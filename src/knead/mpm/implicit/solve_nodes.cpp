#include "knead/mpm/implicit/solve_nodes.h"

#include <cmath>

namespace knead {

template <class Real>
SolveNodes<Real>::SolveNodes(const Array<Real>& nodes, Real least_mass) {
    const std::size_t n = nodes.size() / 4;
    number.assign(n, -1);
    for (std::size_t k = 0; k < n; ++k) {
        if (!(nodes[4 * k] > least_mass)) continue;
        number[k] = static_cast<std::int32_t>(at.size());
        at.push_back(static_cast<std::uint32_t>(k));
    }
    mass.resize(at.size()), root.resize(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
        mass[i] = nodes[4 * std::size_t{at[i]}];
        root[i] = Real(1) / std::sqrt(mass[i]);
        total_mass += static_cast<double>(mass[i]);
    }
}

template struct SolveNodes<float>;
template struct SolveNodes<double>;

}  // namespace knead
