// New particles where darts landed, on the GPU: donors give mass and volume, fields are
// interpolated through a grid. [Yue 2015, Alg. 19, 20] The same as births, conserved values and
// field values on the host.
#pragma once

#include "knead/mpm/cuda/foam/point_cells.h"

namespace knead {

// Those who give to a birth: the nearest particle, and all others of its phase within `reach`.
struct Circle {
    CellPoint nearest;
    int donors;
    double reach;  // in cells
};

class Births {
public:
    // Adds a particle at each of the places, given in units of cells; `points` holds the particles
    // from before. Ids go on from next_id. Returns how many were born: a place without a particle
    // within two cells bears none.
    int add(std::span<DevicePhase> phases, const PointCells& points, const Vec3d* places, int count,
            std::int64_t& next_id, DeviceAlgorithms& algorithms, cudaStream_t stream);
    std::size_t bytes() const;

private:
    int find_circles(const PointCells& points, const Vec3d* places, int count,
                     DeviceAlgorithms& algorithms, cudaStream_t stream);
    void share_out(std::span<DevicePhase> phases, const PointCells& points, int count,
                   DeviceAlgorithms& algorithms, cudaStream_t stream);
    void append(DevicePhase& phase, std::span<const int> births, std::span<const int> donors,
                std::span<const std::int64_t> ids, double cell_width, cudaStream_t stream);
    void interpolate(DevicePhase& phase, const PointCells& points, int births,
                     DeviceAlgorithms& algorithms, cudaStream_t stream);

    DeviceArray<char> flags_;
    DeviceArray<int> chosen_;
    DeviceArray<Circle> all_circles_, circles_;
    DeviceArray<Vec3d> places_;
    // Pairs of a birth and a donor, birth by birth, and in the order of donors.
    DeviceArray<int> first_pair_;
    DeviceArray<int> pair_birth_;
    DeviceArray<unsigned> pair_donor_, sorted_donor_, pair_number_, sorted_pair_;
    DeviceArray<double> taken_mass_, taken_volume_;  // of each pair
    DeviceArray<float> mass_, volume_;               // of each birth
    DeviceArray<ParticleView> views_;
    DeviceArray<int> births_, donors_;  // of one phase
    DeviceArray<int> nodes_, node_index_;
    DeviceArray<double> sums_;  // 32 a node
};

}  // namespace knead
