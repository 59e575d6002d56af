// How deep nodes lie in the matter, on the GPU: minus the distance to the surface of the union of
// spheres of radius r around the particles, as SignedDistance has it. [Yue 2015, Alg. 2] The nodes
// are the corners of the point cells, of width r; lengths are in units of r. Nodes outside of the
// matter are all taken to be far from it.
#pragma once

#include "knead/mpm/cuda/foam/point_cells.h"

namespace knead {

class Depth {
public:
    static constexpr double cap = 4;

    // One number a cell: the value at its first corner.
    const double* measure(const PointCells& points, cudaStream_t stream);
    std::size_t bytes() const { return to_points_.bytes() + to_surface_.bytes(); }

private:
    DeviceArray<double> to_points_, to_surface_;  // squared
};

}  // namespace knead
