// resample: sparse places get more particles, crowded ones fewer [Jones 2014, section 3.6].
#pragma once

#include "knead/points/embedded/stages.h"

namespace knead {

struct ResampleCount {
    std::size_t split = 0, merged = 0;
};

// Rows may change their order. The graph of `work` must fit the links; afterwards it does not.
template <class Real>
ResampleCount resample(Phase<Real>& phase, const EmbeddedSettings& settings,
                       std::span<const ColliderAt> colliders, std::int64_t& next_id,
                       EmbeddedWorkspace<Real>& work);

// Eigenvalues of the sampling matrix sum u u^T / |u|^4, in units of those inside a lattice whose
// neighbourhoods have the support h: from the largest, with their directions [Jones 2014, Eq. 13].
template <class Real>
struct SamplingMatrix {
    Vec3<Real> lambda;
    Mat3<Real> directions;  // by columns
    Real nearest;           // distance, in spacings of that lattice
    std::size_t nearest_slot;
    Vec3<Real> mean;     // of the neighbour vectors [m]
    Real mean_distance;  // [m]
};
template <class Real>
SamplingMatrix<Real> sampling_of(const Links<Real>& links, std::size_t i, Real h);

}  // namespace knead
