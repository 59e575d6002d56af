// Merges pairs of particles that have come very close, on the GPU. [Yue 2015, Alg. 21; Ando 2012]
#pragma once

#include "knead/mpm/cuda/foam/point_cells.h"

namespace knead {

class Merges {
public:
    // Pairs of one phase that are each other's closest and near enough; their number.
    int find(std::span<DevicePhase> phases, const PointCells& points, DeviceAlgorithms& algorithms,
             cudaStream_t stream);
    // Merges those found, and takes the superfluous rows out. Rows may have been added meanwhile.
    void merge(std::span<DevicePhase> phases, DeviceAlgorithms& algorithms, cudaStream_t stream);
    std::size_t bytes() const;

private:
    struct OfPhase {
        DeviceArray<int> closest;  // row, -1 for none
        DeviceArray<int> first;    // of each pair, the row that comes first
        int count = 0;
    };
    std::vector<OfPhase> phases_;
    DeviceArray<char> flags_;
    DeviceArray<int> kept_;
};

}  // namespace knead
