#include "knead/mpm/cuda/foam/merges.h"

#include "knead/cuda/launch.h"
#include "knead/cuda/threads.h"
#include "knead/mpm/cuda/foam/field_planes.h"

namespace knead {

namespace {

constexpr double merge_distance = 0.03;  // of a cell's width

// For the particles of one phase the closest other one, ties to the lower id.
__global__ void find_closest(PointCellsView points, int phase, const unsigned* rows,
                             const std::int64_t* ids, int* closest) {
    const int i = thread_index();
    if (i >= points.size || points.refs[i].phase != phase) return;
    const int self = points.refs[i].row;
    int best = -1;
    double least = 0;
    points.for_each_within(points.points[i], merge_distance, [&](int other, double d2) {
        const CellPoint& ref = points.refs[other];
        if (ref.phase != phase || ref.row == self) return;
        if (best < 0 || d2 < least || (d2 == least && ids[rows[ref.row]] < ids[rows[best]]))
            best = ref.row, least = d2;
    });
    closest[self] = best;
}

__global__ void find_pairs(const int* closest, int n, char* flags) {
    const int i = thread_index();
    if (i < n) flags[i] = closest[i] > i && closest[closest[i]] == i;
}

// One warp a pair: the row with the lower id gets the sums and means of both.
__global__ void merge_pairs(const __grid_constant__ ParticleView p,
                            const __grid_constant__ FieldPlanes fields, const int* first,
                            const int* closest, int n, const unsigned* rows,
                            const std::int64_t* ids, char* stays) {
    SHARED(double[4][32], shared);
    const int i = thread_index() / 32, lane = lane_index();
    if (i >= n) return;
    int kept = first[i], gone = closest[kept];
    if (ids[rows[gone]] < ids[rows[kept]]) {
        const int swapped = kept;
        kept = gone, gone = swapped;
    }
    const double m_a = p.mass[kept], m_b = p.mass[gone];
    const double sum = m_a * fields.read(lane, kept) + m_b * fields.read(lane, gone);
    __syncwarp();
    fields.write_mean(lane, kept, kept, sum, shared[threadIdx.x / 32]);
    if (lane < 3) p.x[lane][kept] += m_b / (m_a + m_b) * (p.x[lane][gone] - p.x[lane][kept]);
    if (lane == 3) {
        p.mass[kept] += p.mass[gone];
        p.volume[kept] += p.volume[gone];
        stays[gone] = 0;
    }
}

}  // namespace

int Merges::find(std::span<DevicePhase> phases, const PointCells& points,
                 DeviceAlgorithms& algorithms, cudaStream_t stream) {
    phases_.resize(phases.size());
    int all = 0;
    for (std::size_t p = 0; p < phases.size(); ++p) {
        const int size = phases[p].size();
        const auto n = static_cast<std::size_t>(size);
        OfPhase& of = phases_[p];
        of.count = 0;
        if (size == 0) continue;
        launch<find_closest>({blocks_for(points.view().size), 256}, stream, points.view(),
                             static_cast<int>(p), phases[p].rows(stream), phases[p].ids(),
                             of.closest.need(n));
        launch<find_pairs>({blocks_for(size), 256}, stream, of.closest.data(), size,
                           flags_.need(n));
        of.count = algorithms.select_set(flags_.data(), size, of.first.need(n), stream);
        all += of.count;
    }
    return all;
}

void Merges::merge(std::span<DevicePhase> phases, DeviceAlgorithms& algorithms,
                   cudaStream_t stream) {
    for (std::size_t p = 0; p < phases.size(); ++p) {
        OfPhase& of = phases_[p];
        if (of.count == 0) continue;
        const int size = phases[p].size();
        const auto n = static_cast<std::size_t>(size);
        check_cuda(cudaMemsetAsync(flags_.need(n), 1, n, stream), "merging particles");
        launch<merge_pairs>({blocks_of_warps(of.count), 128}, stream, phases[p].view(),
                            FieldPlanes(phases[p].view()), of.first.data(), of.closest.data(),
                            of.count, phases[p].rows(stream), phases[p].ids(), flags_.data());
        const int left = algorithms.select_set(flags_.data(), size, kept_.need(n), stream);
        phases[p].keep(kept_.data(), left, stream);
    }
}

std::size_t Merges::bytes() const {
    std::size_t sum = flags_.bytes() + kept_.bytes();
    for (const OfPhase& of : phases_) sum += of.closest.bytes() + of.first.bytes();
    return sum;
}

}  // namespace knead
