// The cells that hold all particles. Included by CUDA sources only.
#pragma once

#include <algorithm>
#include <span>

#include "knead/cuda/launch.h"
#include "knead/cuda/threads.h"
#include "knead/mpm/cuda/device_phase.h"

namespace knead {

struct CellBounds {
    int lo[3] = {1 << 30, 1 << 30, 1 << 30}, hi[3] = {-(1 << 30), -(1 << 30), -(1 << 30)};
};

template <class CellOf>
__global__ void find_cell_bounds(const __grid_constant__ ParticleView p, int n, CellOf cell_of,
                                 CellBounds* bounds) {
    CellBounds mine;
    for (int i = thread_index(); i < n; i += static_cast<int>(gridDim.x * blockDim.x)) {
        const Vec3i c = cell_of(p, i);
        for (int a = 0; a < 3; ++a)
            mine.lo[a] = ::min(mine.lo[a], c[a]), mine.hi[a] = ::max(mine.hi[a], c[a]);
    }
    for (int a = 0; a < 3; ++a) {
        const int least = warp_min(mine.lo[a]);
        const int most = warp_max(mine.hi[a]);
        if (lane_index() == 0) atomicMin(bounds->lo + a, least), atomicMax(bounds->hi + a, most);
    }
}

// cell_of(view, row): the cell of a particle. Waits for the GPU.
template <class CellOf>
CellBounds cell_bounds(std::span<DevicePhase> phases, const CellOf& cell_of,
                       DeviceArray<CellBounds>& scratch, cudaStream_t stream) {
    CellBounds bounds;
    check_cuda(
        cudaMemcpyAsync(scratch.need(1), &bounds, sizeof(bounds), cudaMemcpyHostToDevice, stream),
        "looking for the particles' bounds");
    for (DevicePhase& phase : phases)
        if (phase.size() > 0)
            launch<find_cell_bounds<CellOf>>({std::min(blocks_for(phase.size()), 1056u), 256},
                                             stream, phase.view(), phase.size(), cell_of,
                                             scratch.data());
    check_cuda(
        cudaMemcpyAsync(&bounds, scratch.data(), sizeof(bounds), cudaMemcpyDeviceToHost, stream),
        "looking for the particles' bounds");
    check_cuda(cudaStreamSynchronize(stream), "looking for the particles' bounds");
    return bounds;
}

}  // namespace knead
