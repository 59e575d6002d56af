#include "knead/mpm/cuda/foam/point_cells.h"

#include "knead/cuda/launch.h"
#include "knead/cuda/threads.h"

namespace knead {

namespace {

constexpr int block_cells = PointCellsView::block_cells;
constexpr int margin = PointCells::margin;

__device__ Vec3d place_of(const ParticleView& p, int i, double per_cell) {
    return {per_cell * p.x[0][i], per_cell * p.x[1][i], per_cell * p.x[2][i]};
}
__device__ Vec3i cell_of(const Vec3d& u) {
    return {static_cast<int>(floor(u.x)), static_cast<int>(floor(u.y)),
            static_cast<int>(floor(u.z))};
}

struct CellOf {
    double per_cell;
    __device__ Vec3i operator()(const ParticleView& p, int i) const {
        return cell_of(place_of(p, i, per_cell));
    }
};

__global__ void mark_blocks(const __grid_constant__ ParticleView p, int n, double per_cell,
                            BlockBox box, int* there) {
    const int i = thread_index();
    if (i >= n) return;
    const Vec3i c = cell_of(place_of(p, i, per_cell));
    for (int x = (c.x - margin) >> 3; x <= (c.x + 1 + margin) >> 3; ++x)
        for (int y = (c.y - margin) >> 3; y <= (c.y + 1 + margin) >> 3; ++y)
            for (int z = (c.z - margin) >> 3; z <= (c.z + 1 + margin) >> 3; ++z)
                set_flag(there + box.number({x, y, z}));
}

__global__ void connect(BlockTableView table, const Vec3i* blocks, int n, int* around) {
    const int i = thread_index();
    if (i >= 27 * n) return;
    const int k = i % 27;
    around[i] = table.find(blocks[i / 27] + Vec3i{k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1});
}

// Cells of a phase's particles; they are points [first, first + n).
__global__ void count_points(const __grid_constant__ ParticleView p, int n, int first,
                             double per_cell, BlockTableView table, unsigned* keys,
                             unsigned* numbers, int* counts) {
    const int i = thread_index();
    if (i >= n) return;
    const Vec3i c = cell_of(place_of(p, i, per_cell));
    const int cell =
        table.find({c.x >> 3, c.y >> 3, c.z >> 3}) * block_cells + PointCellsView::cell_in_block(c);
    keys[first + i] = static_cast<unsigned>(cell);
    numbers[first + i] = static_cast<unsigned>(first + i);
    atomicAdd(counts + cell, 1);
}

// Every phase picks its own out of the sorted numbers.
__global__ void place_points(const __grid_constant__ ParticleView p, int n, int first,
                             double per_cell, const unsigned* sorted, int all, Vec3d* points,
                             CellPoint* refs) {
    const int i = thread_index();
    if (i >= all) return;
    const int row = static_cast<int>(sorted[i]) - first;
    if (row < 0 || row >= n) return;
    points[i] = place_of(p, row, per_cell);
    refs[i] = {p.phase, row};
}

}  // namespace

BlockBox PointCells::box_of(std::span<DevicePhase> phases, double per_cell, cudaStream_t stream) {
    const CellBounds cells = cell_bounds(phases, CellOf{per_cell}, bounds_, stream);
    BlockBox box;
    for (int a = 0; a < 3; ++a) {
        box.lo[a] = (cells.lo[a] - margin) >> 3;
        box.extent[a] = ((cells.hi[a] + 1 + margin) >> 3) - box.lo[a] + 1;
    }
    return box;
}

void PointCells::number_blocks(std::span<DevicePhase> phases, double per_cell,
                               DeviceAlgorithms& algorithms, cudaStream_t stream) {
    const BlockBox box = box_of(phases, per_cell, stream);
    int* const there = table_.clear(box, stream);
    for (DevicePhase& phase : phases)
        if (phase.size() > 0)
            launch<mark_blocks>({blocks_for(phase.size()), 256}, stream, phase.view(), phase.size(),
                                per_cell, box, there);
    table_.number(algorithms, stream);
    const int count = algorithms.fetch(table_.count(), stream);
    const auto n = static_cast<std::size_t>(count);
    table_.list(blocks_.need(n), stream);
    launch<connect>({blocks_for(27LL * count), 256}, stream, table_.view(), blocks_.data(), count,
                    around_.need(27 * n));
    view_.block_count = count;
}

void PointCells::build(std::span<DevicePhase> phases, double cell_width,
                       DeviceAlgorithms& algorithms, cudaStream_t stream) {
    const double per_cell = 1 / cell_width;
    long long all = 0;
    for (const DevicePhase& phase : phases) all += phase.size();
    if (all > 0x7fffffff) throw RunError("the GPU resamples at most 2147483647 particles");
    number_blocks(phases, per_cell, algorithms, stream);
    if (cell_count() / block_cells != view_.block_count)
        throw RunError("particles fill more cells than the GPU can number");

    const auto n = static_cast<std::size_t>(all);
    const auto cells = static_cast<std::size_t>(cell_count());
    int* const begin = begin_.need(cells + 1);
    check_cuda(cudaMemsetAsync(begin, 0, (cells + 1) * sizeof(int), stream), "binning particles");
    keys_.need(n), cells_.need(n), numbers_.need(n), sorted_.need(n);
    points_.need(n), refs_.need(n);
    const auto for_each_phase = [&](const auto& launch) {
        int first = 0;
        for (DevicePhase& phase : phases) {
            if (phase.size() > 0) launch(phase, first);
            first += phase.size();
        }
    };
    for_each_phase([&](DevicePhase& phase, int first) {
        launch<count_points>({blocks_for(phase.size()), 256}, stream, phase.view(), phase.size(),
                             first, per_cell, table_.view(), keys_.data(), numbers_.data(), begin);
    });
    algorithms.exclusive_sum(begin, begin, cell_count() + 1, stream);
    int bits = 1;
    while (cells >> bits) ++bits;
    algorithms.sort_pairs(keys_.data(), cells_.data(), numbers_.data(), sorted_.data(),
                          static_cast<int>(all), {0, bits}, stream);
    for_each_phase([&](DevicePhase& phase, int first) {
        launch<place_points>({blocks_for(all), 256}, stream, phase.view(), phase.size(), first,
                             per_cell, sorted_.data(), static_cast<int>(all), points_.data(),
                             refs_.data());
    });
    check_cuda(cudaGetLastError(), "binning particles");
    view_ = {table_.view(),         blocks_.data(), around_.data(), begin,
             cells_.data(),         points_.data(), refs_.data(),   view_.block_count,
             static_cast<int>(all), cell_width};
}

std::size_t PointCells::bytes() const {
    return table_.bytes() + blocks_.bytes() + around_.bytes() + begin_.bytes() + keys_.bytes() +
           cells_.bytes() + numbers_.bytes() + sorted_.bytes() + points_.bytes() + refs_.bytes();
}

}  // namespace knead
