// freeze_rotations: R of F at the first guess.
#include "knead/math/polar.h"
#include "knead/points/implicit/elastic_operator.h"
#include "knead/points/implicit/stages.h"

namespace knead {

template <class Real>
void freeze_rotations(double dt, ImplicitWorkspace<Real>& work) {
    using P = Pack<Real>;
    const std::size_t n = work.size();
    for (auto& plane : work.R) plane.resize(n);
    work.mu.resize(n), work.lambda.resize(n);
    const Real dt2 = static_cast<Real>(dt * dt);
    for_each_gradient(work.near, work.delta, work.sum_g,
                      [&](std::size_t begin, int count, const Mat3<P>& G) {
                          const Mat3<P> F = load_matrices(work.F, begin, count) + G;
                          store_matrices(polar_rotation(F), begin, count, work.R);
                      });
    // Who has no fit has no stress of its own either: its gradient vectors are 0.
    for_each(n, 4096, [&](std::size_t i) {
        work.mu[i] = dt2 * work.shear[i];
        work.lambda[i] = dt2 * work.lame[i];
    });
}

template void freeze_rotations(double, ImplicitWorkspace<float>&);
template void freeze_rotations(double, ImplicitWorkspace<double>&);

}  // namespace knead
