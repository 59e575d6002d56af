#include "knead/mpm/cuda/foam/slivers.h"

#include "knead/cuda/launch.h"
#include "knead/cuda/threads.h"
#include "knead/mpm/foam/surroundings.h"

namespace knead {

namespace {

__global__ void find_torn(PointCellsView points, const ParticleView* views, char* flags) {
    const int i = thread_index();
    if (i >= points.size) return;
    const CellPoint ref = points.refs[i];
    const float* const weak = views[ref.phase].weak;
    flags[i] = weak && weak[ref.row] != 0;
}

// [Yue 2015, Eq. 21, 22] Cells are half as wide as the grid's.
__global__ void test_torn(PointCellsView points, const ParticleView* views, const int* torn, int n,
                          char* subgrid) {
    const int i = thread_index();
    if (i >= n) return;
    const Vec3d u = points.points[torn[i]];
    const Vec3i lo{static_cast<int>(floor(u.x)) - 4, static_cast<int>(floor(u.y)) - 4,
                   static_cast<int>(floor(u.z)) - 4};
    Moments moments;
    points.for_each_run(lo, lo + splat(8), [&](int begin, int end) {
        for (int k = begin; k < end; ++k) {
            const CellPoint ref = points.refs[k];
            moments.add_point(0.5 * (points.points[k] - u),
                              static_cast<double>(views[ref.phase].mass[ref.row]));
        }
    });
    subgrid[i] = is_subgrid(moments.spread());
}

__global__ void strike_out(PointCellsView points, const ParticleView* views, const int* torn,
                           const int* numbers, int n, char* const* stays, float* mass) {
    const int i = thread_index();
    if (i >= n) return;
    const CellPoint ref = points.refs[torn[numbers[i]]];
    stays[ref.phase][ref.row] = 0;
    mass[i] = views[ref.phase].mass[ref.row];
}

}  // namespace

bool Slivers::any_can_tear(std::span<DevicePhase> phases) {
    for (const DevicePhase& phase : phases)
        if (phase.size() > 0 && phase.view().weak) return true;
    return false;
}

Removed Slivers::remove(std::span<DevicePhase> phases, const PointCells& points,
                        DeviceAlgorithms& algorithms, cudaStream_t stream) {
    std::vector<ParticleView> views;
    for (const DevicePhase& phase : phases) views.push_back(phase.view());
    const auto send = [&](auto& to, const auto& from) {
        check_cuda(cudaMemcpyAsync(to.need(from.size()), from.data(), from.size() * sizeof(from[0]),
                                   cudaMemcpyHostToDevice, stream),
                   "removing particles");
    };
    send(views_, views);
    const int size = points.view().size;
    const auto n = static_cast<std::size_t>(size);
    launch<find_torn>({blocks_for(size), 256}, stream, points.view(), views_.data(),
                      flags_.need(n));
    numbers_.need(2 * n);
    int *const torn = numbers_.data(), *const found = torn + n;
    const int torn_count = algorithms.select_set(flags_.data(), size, torn, stream);
    if (torn_count == 0) return {};
    launch<test_torn>({blocks_for(torn_count), 256}, stream, points.view(), views_.data(), torn,
                      torn_count, flags_.data());
    const int count = algorithms.select_set(flags_.data(), torn_count, found, stream);
    if (count == 0) return {};

    stays_.resize(phases.size());
    std::vector<char*> stays;
    for (std::size_t p = 0; p < phases.size(); ++p) {
        const auto rows = static_cast<std::size_t>(phases[p].size());
        stays.push_back(stays_[p].need(rows));
        check_cuda(cudaMemsetAsync(stays.back(), 1, rows, stream), "removing particles");
    }
    send(stays_of_, stays);
    std::vector<float> mass(static_cast<std::size_t>(count));
    launch<strike_out>({blocks_for(count), 256}, stream, points.view(), views_.data(), torn, found,
                       count, stays_of_.data(), mass_.need(mass.size()));
    check_cuda(cudaMemcpyAsync(mass.data(), mass_.data(), mass.size() * sizeof(float),
                               cudaMemcpyDeviceToHost, stream),
               "removing particles");
    check_cuda(cudaStreamSynchronize(stream), "removing particles");
    Removed removed{count, 0};
    for (const float m : mass) removed.mass += static_cast<double>(m);
    for (std::size_t p = 0; p < phases.size(); ++p) {
        const int left = algorithms.select_set(stays[p], phases[p].size(), found, stream);
        if (left < phases[p].size()) phases[p].keep(found, left, stream);
    }
    return removed;
}

}  // namespace knead
