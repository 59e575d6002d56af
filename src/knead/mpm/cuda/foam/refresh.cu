#include "knead/mpm/cuda/foam/refresh.h"

#include <vector>

#include "knead/cuda/device_algorithms.h"
#include "knead/cuda/launch.h"
#include "knead/cuda/threads.h"

namespace knead {

namespace {

__global__ void rescale(const __grid_constant__ ParticleView p, int n) {
    const int i = thread_index();
    if (i >= n) return;
    Mat3d F;
    for (int k = 0; k < 9; ++k) F[k] = static_cast<double>(p.F[k][i]);
    const double scale = cbrt((1 + static_cast<double>(p.dilation[i])) / determinant(F));
    for (int k = 0; k < 9; ++k) p.F[k][i] = static_cast<float>(scale * F[k]);
}

template <class L>
__global__ void refresh(const __grid_constant__ L law, const __grid_constant__ ParticleView p,
                        int n) {
    const int i = thread_index();
    if (i >= n) return;
    MaterialState<float> state = load_state<L::columns>(p, i);
    if constexpr ((L::columns & uses_weak) != 0) {
        law.detect_tearing(state);
        p.weak[i] = state.weak;
    }
    const Sym3<float> tau = law.stress(state);
    for (int k = 0; k < 6; ++k) p.stress[k][i] = tau[k];
}

constexpr int inventory_threads = 256, inventory_blocks = 264;

// Mass, volume, momentum and angular momentum.
__device__ double quantity(const ParticleView& p, int i, int which) {
    if (which == 0) return p.mass[i];
    if (which == 1) return p.volume[i];
    const Vec3d mv = static_cast<double>(p.mass[i]) * Vec3d{p.v[0][i], p.v[1][i], p.v[2][i]};
    if (which < 5) return mv[which - 2];
    return cross(Vec3d{p.x[0][i], p.x[1][i], p.x[2][i]}, mv)[which - 5];
}

// blockIdx.y says which of the eight quantities.
__global__ void sum_up(const __grid_constant__ ParticleView p, int n, double* parts) {
    SHARED(double[inventory_threads], sums);
    double sum = 0;
    for (int i = thread_index(); i < n; i += inventory_threads * inventory_blocks)
        sum += quantity(p, i, static_cast<int>(blockIdx.y));
    sums[threadIdx.x] = sum;
    for (unsigned half = inventory_threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) parts[blockIdx.y * inventory_blocks + blockIdx.x] = sums[0];
}

}  // namespace

void rescale_to_dilation(DevicePhase& phase, cudaStream_t stream) {
    const ParticleView& p = phase.view();
    if (phase.size() == 0 || !p.F[0] || !p.b[0] || !p.dilation) return;
    launch<rescale>({blocks_for(phase.size()), 256}, stream, p, phase.size());
}

void refresh_stress(const Law<float>& law, DevicePhase& phase, cudaStream_t stream) {
    if (phase.size() == 0) return;
    std::visit(
        [&](const auto& one) {
            launch<refresh<std::remove_cvref_t<decltype(one)>>>(
                {blocks_for(phase.size()), 256}, stream, one, phase.view(), phase.size());
        },
        law);
    check_cuda(cudaGetLastError(), "computing stress");
}

Inventory TakeInventory::operator()(std::span<DevicePhase> phases, cudaStream_t stream) {
    double all[8] = {};
    std::vector<double> parts(8 * inventory_blocks);
    for (DevicePhase& phase : phases) {
        if (phase.size() == 0) continue;
        launch<sum_up>({dim3(inventory_blocks, 8), inventory_threads}, stream, phase.view(),
                       phase.size(), parts_.need(parts.size()));
        check_cuda(cudaMemcpyAsync(parts.data(), parts_.data(), parts.size() * sizeof(double),
                                   cudaMemcpyDeviceToHost, stream),
                   "adding up particles");
        check_cuda(cudaStreamSynchronize(stream), "adding up particles");
        for (std::size_t k = 0; k < parts.size(); ++k) all[k / inventory_blocks] += parts[k];
    }
    return {all[0], all[1], {all[2], all[3], all[4]}, {all[5], all[6], all[7]}};
}

}  // namespace knead
