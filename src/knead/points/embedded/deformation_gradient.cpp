// deformation_gradient: F from rest vectors to positions, by weighted least squares.
#include "knead/parallel/exec.h"
#include "knead/points/embedded/stages.h"

namespace knead {

template <class Real>
void deformation_gradient(const Phase<Real>& phase, EmbeddedWorkspace<Real>& work) {
    const Links<Real>& links = phase.links;
    const Column<double, 3>& x = phase.particles.x;
    const std::size_t n = links.size();
    work.x.resize(n);
    for (auto& plane : work.F) plane.resize(n);
    for_each(n, 4096, [&](std::size_t i) { work.x[i] = to_lanes(x.vec(i)); });
    for_each(n, 256, [&](std::size_t i) {
        // sum w x_ij u_ij^T, by columns
        LaneColumns<Real> m{};
        for (std::size_t s = links.first(i); s < links.end(i); ++s) {
            const Lanes<Real> x_ij =
                narrow<Real>(work.x[static_cast<std::size_t>(links.to[s])] - work.x[i]);
            const Lanes<Real> wu = work.weighted[s];
            for (int k = 0; k < 3; ++k) m.c[k] += Lanes<Real>(wu[k]) * x_ij;
        }
        // times A^-1
        const Mat3<Real> inverse = static_cast<Mat3<Real>>(work.basis_inverse[i]);
        for (int b = 0; b < 3; ++b) {
            const Lanes<Real> column = m * inverse.column(b);
            for (int a = 0; a < 3; ++a) work.F[3 * a + b][i] = column[a];
        }
    });
}

template void deformation_gradient(const Phase<float>&, EmbeddedWorkspace<float>&);
template void deformation_gradient(const Phase<double>&, EmbeddedWorkspace<double>&);

}  // namespace knead
