// Takes torn particles out whose surroundings the grid cannot resolve, on the GPU. [Yue 2015,
// section 7.4, Eq. 21, 22 and Alg. 15]
#pragma once

#include "knead/mpm/cuda/foam/point_cells.h"

namespace knead {

struct Removed {
    int count = 0;
    double mass = 0;  // [kg]
};

class Slivers {
public:
    static bool any_can_tear(std::span<DevicePhase> phases);
    // `points` has cells of half the grid's spacing. All tests first, then all deletions.
    Removed remove(std::span<DevicePhase> phases, const PointCells& points,
                   DeviceAlgorithms& algorithms, cudaStream_t stream);
    std::size_t bytes() const { return flags_.bytes() + numbers_.bytes() + mass_.bytes(); }

private:
    std::vector<DeviceArray<char>> stays_;
    DeviceArray<char> flags_;
    DeviceArray<int> numbers_;
    DeviceArray<float> mass_;
    DeviceArray<ParticleView> views_;
    DeviceArray<char*> stays_of_;
};

}  // namespace knead
