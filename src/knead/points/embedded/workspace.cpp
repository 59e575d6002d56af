#include "knead/points/embedded/workspace.h"

namespace knead {

template <class Real>
std::size_t EmbeddedWorkspace<Real>::bytes() const {
    const auto of = [](const auto&... arrays) {
        return ((arrays.capacity() * sizeof(arrays[0])) + ...);
    };
    std::size_t sum =
        of(weighted, basis_inverse, spread, trust, stiffness, surface, x, traction, restoring, flow,
           force, velocity, change, residual, directed, drag, inertia, rotation, graph.twin,
           graph.incoming_begin, graph.incoming, graph.piece);
    for (const auto& plane : F) sum += of(plane);
    return sum + scatter_buffer.bytes() + viscosity.bytes() + placement.bytes();
}

template struct EmbeddedWorkspace<float>;
template struct EmbeddedWorkspace<double>;

}  // namespace knead
