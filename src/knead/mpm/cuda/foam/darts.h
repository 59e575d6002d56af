// Poisson darts into the voids of the matter, on the GPU: the same darts as poisson_darts throws on
// the host. Darts of a level are thrown at once; of those too close to each other the one with the
// smallest number wins, then the best of those that are left, and so on, as if they had been taken
// one after the other. [Yue 2015, Alg. 3]
#pragma once

#include "knead/mpm/cuda/foam/point_cells.h"

namespace knead {

class Darts {
public:
    // Where darts landed, in units of cells, in the order they won; their number.
    int throw_all(const PointCells& points, const double* depth, std::uint64_t seed,
                  std::uint64_t step, DeviceAlgorithms& algorithms, cudaStream_t stream);
    const Vec3d* places() const { return places_.data(); }
    std::size_t bytes() const;

private:
    static constexpr int most_in_cell = 8;  // darts that one cell has room for

    void find_open_cells(const PointCells& points, const double* depth, std::uint64_t seed,
                         std::uint64_t step, DeviceAlgorithms& algorithms, cudaStream_t stream);
    void throw_level(int level, const PointCells& points, const double* depth, std::uint64_t seed,
                     std::uint64_t step, DeviceAlgorithms& algorithms, cudaStream_t stream);
    int list_places(const PointCells& points, DeviceAlgorithms& algorithms, cudaStream_t stream);

    int open_count_ = 0;
    DeviceArray<char> flags_;
    DeviceArray<int> candidates_, open_, open_index_;  // index: by cell, -1 where closed
    DeviceArray<int> first_;                           // dart of each open cell
    DeviceArray<int> owner_, state_, undecided_;
    DeviceArray<Vec3d> dart_;
    DeviceArray<unsigned long long> priority_;
    // Darts that have won, most_in_cell a cell.
    DeviceArray<int> won_count_, won_first_;
    DeviceArray<Vec3d> won_;
    DeviceArray<unsigned long long> won_key_, key_, sorted_key_;
    DeviceArray<unsigned> number_, sorted_number_;
    DeviceArray<Vec3d> unsorted_, places_;
};

}  // namespace knead
