#include "knead/mpm/cuda/foam/depth.h"

#include "knead/cuda/launch.h"
#include "knead/cuda/threads.h"

namespace knead {

namespace {

constexpr int block_cells = PointCellsView::block_cells;

// Numbers that are not negative are in the order of their bits.
__device__ void lower(double* to, double value) {
    if (value < peek(to))
        atomicMin(reinterpret_cast<unsigned long long*>(to),
                  static_cast<unsigned long long>(__double_as_longlong(value)));
}

__global__ void fill(double* a, double* b, int n, double in_a, double in_b) {
    const int i = thread_index();
    if (i < n) a[i] = in_a, b[i] = in_b;
}

// Every point tells the nodes within 2 how far it is.
__global__ void measure_to_points(PointCellsView points, double* squared) {
    const int i = thread_index();
    if (i >= points.size) return;
    const int block = static_cast<int>(points.cells[i]) / block_cells;
    const Vec3d u = points.points[i] - static_cast<Vec3d>(8 * points.blocks[block]);
    const Vec3i lo{static_cast<int>(ceil(u.x - 2)), static_cast<int>(ceil(u.y - 2)),
                   static_cast<int>(ceil(u.z - 2))};
    for (int x = lo.x; x <= u.x + 2; ++x)
        for (int y = lo.y; y <= u.y + 2; ++y)
            for (int z = lo.z; z <= u.z + 2; ++z) {
                const double d2 = length_squared(Vec3d{x - u.x, y - u.y, z - u.z});
                const int node = points.cell_near(block, {x, y, z});
                if (d2 < 4 && node >= 0) lower(squared + node, d2);
            }
}

// A warp tells the nodes inside and within the cap of a crossing how far it is. `c` is the place in
// its block.
__device__ void tell_nodes(const PointCellsView& points, int block, const Vec3d& c, int lane,
                           const double* to_points, double* squared) {
    constexpr int reach = 4, across = 2 * reach + 1;
    const Vec3i lo = static_cast<Vec3i>(c) - splat(reach);
    for (int k = lane; k < across * across * across; k += 32) {
        const Vec3i place = lo + Vec3i{k / (across * across), k / across % across, k % across};
        const double d2 = length_squared(static_cast<Vec3d>(place) - c);
        if (d2 >= Depth::cap * Depth::cap) continue;
        const int node = points.cell_near(block, place);
        if (node >= 0 && to_points[node] < 1) lower(squared + node, d2);
    }
}

// Where the surface cuts the edges from a node towards larger coordinates. A warp finds those of
// its 32 nodes, then tells of them one after the other.
__global__ void measure_to_crossings(PointCellsView points, const double* to_points,
                                     double* squared) {
    const int node = thread_index();  // the grid has whole blocks
    const int block = node / block_cells, lane = node & 31;
    const Vec3i place = PointCellsView::place_in_block(node);
    const double here = sqrt(to_points[node]) - 1;
    for (int a = 0; a < 3; ++a) {
        Vec3i next = place;
        next[a] += 1;
        const int other = points.cell_near(block, next);
        const double there = other < 0 ? Depth::cap : sqrt(to_points[other]) - 1;
        Vec3d c = static_cast<Vec3d>(place);
        c[a] += here / (here - there);
        for (unsigned left = __ballot_sync(all_lanes, (here < 0) != (there < 0)); left;
             left &= left - 1) {
            const int from = __ffs(static_cast<int>(left)) - 1;
            const Vec3d at{__shfl_sync(all_lanes, c.x, from), __shfl_sync(all_lanes, c.y, from),
                           __shfl_sync(all_lanes, c.z, from)};
            tell_nodes(points, block, at, lane, to_points, squared);
        }
    }
}

__global__ void conclude(const double* to_points, double* values, int n) {
    const int i = thread_index();
    if (i < n) values[i] = to_points[i] < 1 ? -sqrt(values[i]) : Depth::cap;
}

}  // namespace

const double* Depth::measure(const PointCells& points, cudaStream_t stream) {
    const int nodes = points.cell_count();
    const auto n = static_cast<std::size_t>(nodes);
    double *const near = to_points_.need(n), *const far = to_surface_.need(n);
    launch<fill>({blocks_for(nodes), 256}, stream, near, far, nodes, 4.0, cap * cap);
    launch<measure_to_points>({blocks_for(points.view().size), 256}, stream, points.view(), near);
    launch<measure_to_crossings>({blocks_for(nodes), 256}, stream, points.view(), near, far);
    launch<conclude>({blocks_for(nodes), 256}, stream, near, far, nodes);
    check_cuda(cudaGetLastError(), "measuring depth");
    return far;
}

}  // namespace knead
