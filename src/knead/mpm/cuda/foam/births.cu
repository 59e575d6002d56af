#include "knead/mpm/cuda/foam/births.h"

#include <vector>

#include "knead/cuda/launch.h"
#include "knead/cuda/threads.h"
#include "knead/mpm/cuda/foam/field_planes.h"
#include "knead/mpm/foam/cubic_kernel.h"

namespace knead {

namespace {

constexpr int block_nodes = 64;  // nodes of the grid of spacing 2 cells, in a block

// Donors lie within a cell's width, or farther where there are none: up to two.
__global__ void look_around(PointCellsView points, const Vec3d* places, int n, Circle* circles,
                            char* flags) {
    const int i = thread_index();
    if (i >= n) return;
    Circle circle{{-1, -1}, 0, 0};
    for (double reach = 1; reach <= 2 && circle.donors == 0; reach *= 1.25) {
        double least = reach * reach;
        points.for_each_within(places[i], reach, [&](int point, double d2) {
            if (d2 >= least) return;
            least = d2;
            circle.nearest = points.refs[point];
        });
        points.for_each_within(places[i], reach, [&](int point, double) {
            if (points.refs[point].phase == circle.nearest.phase) ++circle.donors;
        });
        circle.reach = reach;
    }
    circles[i] = circle;
    flags[i] = circle.donors > 0;
}

__global__ void choose(const Circle* all_circles, const Vec3d* all_places, const int* chosen, int n,
                       Circle* circles, Vec3d* places, int* donors) {
    const int i = thread_index();
    if (i >= n) return;
    circles[i] = all_circles[chosen[i]];
    places[i] = all_places[chosen[i]];
    donors[i] = circles[i].donors;
}

// Particles are numbered one phase after the other.
__global__ void list_pairs(PointCellsView points, const Circle* circles, const Vec3d* places, int n,
                           const int* first_pair, const int* first_of_phase, int* birth,
                           unsigned* donor, unsigned* number) {
    const int i = thread_index();
    if (i >= n) return;
    int to = first_pair[i];
    points.for_each_within(places[i], circles[i].reach, [&](int point, double) {
        const CellPoint& ref = points.refs[point];
        if (ref.phase != circles[i].nearest.phase) return;
        birth[to] = i;
        donor[to] = static_cast<unsigned>(first_of_phase[ref.phase] + ref.row);
        number[to] = static_cast<unsigned>(to);
        ++to;
    });
}

// A donor to N births keeps n / (n + 1) at each, of n donors. What is handed on is what is missing
// after rounding.
__device__ double give(float& has, double n) {
    const auto before = static_cast<double>(has);
    has = static_cast<float>(before * (n / (n + 1)));
    return before - static_cast<double>(has);
}

__global__ void give_shares(const ParticleView* views, const Circle* circles, const int* birth,
                            const unsigned* donors, const unsigned* pairs, int n,
                            const int* first_of_phase, double* taken_mass, double* taken_volume) {
    const int i = thread_index();
    if (i >= n || (i > 0 && donors[i] == donors[i - 1])) return;
    const int phase = circles[birth[pairs[i]]].nearest.phase;
    const int row = static_cast<int>(donors[i]) - first_of_phase[phase];
    float mass = views[phase].mass[row], volume = views[phase].volume[row];
    for (int k = i; k < n && donors[k] == donors[i]; ++k) {
        const unsigned pair = pairs[k];
        const double count = circles[birth[pair]].donors;
        taken_mass[pair] = give(mass, count);
        taken_volume[pair] = give(volume, count);
    }
    views[phase].mass[row] = mass;
    views[phase].volume[row] = volume;
}

__global__ void take_shares(const int* first_pair, int n, const double* taken_mass,
                            const double* taken_volume, float* mass, float* volume) {
    const int i = thread_index();
    if (i >= n) return;
    double m = 0, v = 0;
    for (int k = first_pair[i]; k < first_pair[i + 1]; ++k)
        m += taken_mass[k], v += taken_volume[k];
    mass[i] = static_cast<float>(m);
    volume[i] = static_cast<float>(v);
}

// Births of one phase are its rows from `first` on.
__global__ void place_births(ParticleView p, int first, const int* births, int n,
                             const Vec3d* places, double cell_width, const float* mass,
                             const float* volume) {
    const int i = thread_index();
    if (i >= n) return;
    const int b = births[i], row = first + i;
    const Vec3d x = cell_width * places[b];
    p.x[0][row] = x.x, p.x[1][row] = x.y, p.x[2][row] = x.z;
    p.mass[row] = mass[b];
    p.volume[row] = volume[b];
}

// The first of the 4 x 4 x 4 nodes around a place; nodes stand two cells apart.
__device__ Vec3i first_node(const Vec3d& place) {
    return {static_cast<int>(floor(place.x / 2)) - 1, static_cast<int>(floor(place.y / 2)) - 1,
            static_cast<int>(floor(place.z / 2)) - 1};
}
// A node's number, -1 where there is no block and so nothing near.
__device__ int number_of(const PointCellsView& points, const Vec3i& node) {
    const int block = points.table.find({node.x >> 2, node.y >> 2, node.z >> 2});
    return block < 0 ? -1
                     : block * block_nodes + ((node.x & 3) << 4 | (node.y & 3) << 2 | (node.z & 3));
}

// One warp a birth, two nodes a lane.
__global__ void need_nodes(PointCellsView points, const int* births, int n, const Vec3d* places,
                           char* needed) {
    const int i = thread_index() / 32;
    if (i >= n) return;
    const Vec3i first = first_node(places[births[i]]);
    for (int k = lane_index(); k < 64; k += 32) {
        const int node = number_of(points, first + Vec3i{k >> 4, (k >> 2) & 3, k & 3});
        if (node >= 0) set_flag(needed + node);
    }
}

__global__ void number_nodes(const int* nodes, int n, int* index_of) {
    const int i = thread_index();
    if (i < n) index_of[nodes[i]] = i;
}

// Mass-weighted sums over the points of a phase around a node, one warp a node and one lane a
// number of the field rows. [Yue 2015, Eq. 19]
__global__ void sum_rows(PointCellsView points, const __grid_constant__ ParticleView p,
                         const __grid_constant__ FieldPlanes fields, const int* nodes, int n,
                         double* sums) {
    const int i = thread_index() / 32;
    if (i >= n) return;
    const int block = nodes[i] / block_nodes, place = nodes[i] % block_nodes;
    const Vec3i node = 4 * points.blocks[block] + Vec3i{place >> 4, (place >> 2) & 3, place & 3};
    const Vec3d at = 2.0 * static_cast<Vec3d>(node);
    double sum = 0;
    points.for_each_run(2 * node - splat(4), 2 * node + splat(3), [&](int begin, int end) {
        for (int first = begin; first < end; first += 32) {
            const int point = first + lane_index();
            double w = 0;
            int row = 0;
            if (point < end && points.refs[point].phase == p.phase) {
                row = points.refs[point].row;
                w = cubic_weight(0.5 * (points.points[point] - at)) *
                    static_cast<double>(p.mass[row]);
            }
            for (int k = 0; k < ::min(32, end - first); ++k) {
                const double weight = __shfl_sync(all_lanes, w, k);
                const int from = __shfl_sync(all_lanes, row, k);
                if (weight > 0) sum += weight * fields.read(lane_index(), from);
            }
        }
    });
    sums[32 * i + lane_index()] = sum;
}

// From the nodes to the births. [Yue 2015, Eq. 20]
__global__ void gather_rows(PointCellsView points, const __grid_constant__ FieldPlanes fields,
                            const int* births, int n, int first_row, const Circle* circles,
                            const Vec3d* places, const int* node_index, const double* sums) {
    SHARED(double[4][32], shared);
    const int i = thread_index() / 32;
    if (i >= n) return;
    const Vec3d place = places[births[i]];
    const Vec3i first = first_node(place);
    double mean = 0;
    for (int k = 0; k < 64; ++k) {
        const Vec3i node = first + Vec3i{k >> 4, (k >> 2) & 3, k & 3};
        const int number = number_of(points, node);
        if (number < 0) continue;
        const double* const row = sums + 32LL * node_index[number];
        const double w = cubic_weight(0.5 * place - static_cast<Vec3d>(node));
        if (row[0] > 0) mean += w / row[0] * row[lane_index()];
    }
    fields.write_mean(lane_index(), first_row + i, circles[births[i]].nearest.row, mean,
                      shared[threadIdx.x / 32]);
}

template <class T>
void send(DeviceArray<T>& to, std::span<const T> from, cudaStream_t stream) {
    check_cuda(cudaMemcpyAsync(to.need(from.size()), from.data(), from.size_bytes(),
                               cudaMemcpyHostToDevice, stream),
               "adding particles");
}

}  // namespace

int Births::find_circles(const PointCells& points, const Vec3d* places, int count,
                         DeviceAlgorithms& algorithms, cudaStream_t stream) {
    const auto n = static_cast<std::size_t>(count);
    launch<look_around>({blocks_for(count), 256}, stream, points.view(), places, count,
                        all_circles_.need(n), flags_.need(n));
    const int born = algorithms.select_set(flags_.data(), count, chosen_.need(n), stream);
    if (born == 0) return 0;
    first_pair_.need(n + 1);
    check_cuda(cudaMemsetAsync(first_pair_.data() + born, 0, sizeof(int), stream),
               "adding particles");
    launch<choose>({blocks_for(born), 256}, stream, all_circles_.data(), places, chosen_.data(),
                   born, circles_.need(n), places_.need(n), first_pair_.data());
    algorithms.exclusive_sum(first_pair_.data(), first_pair_.data(), born + 1, stream);
    return born;
}

// Donors give in the order of the births, all donors at once.
void Births::share_out(std::span<DevicePhase> phases, const PointCells& points, int count,
                       DeviceAlgorithms& algorithms, cudaStream_t stream) {
    std::vector<ParticleView> views;
    std::vector<int> first_of_phase;
    int all = 0;
    for (const DevicePhase& phase : phases) {
        views.push_back(phase.view());
        first_of_phase.push_back(all);
        all += phase.size();
    }
    send(views_, std::span<const ParticleView>(views), stream);
    send(donors_, std::span<const int>(first_of_phase), stream);
    const int pairs = algorithms.fetch(first_pair_.data() + count, stream);
    const auto room = static_cast<std::size_t>(pairs), born = static_cast<std::size_t>(count);
    launch<list_pairs>({blocks_for(count), 256}, stream, points.view(), circles_.data(),
                       places_.data(), count, first_pair_.data(), donors_.data(),
                       pair_birth_.need(room), pair_donor_.need(room), pair_number_.need(room));
    int bits = 1;
    while (static_cast<long long>(all) >> bits) ++bits;
    algorithms.sort_pairs(pair_donor_.data(), sorted_donor_.need(room), pair_number_.data(),
                          sorted_pair_.need(room), pairs, {0, bits}, stream);
    launch<give_shares>({blocks_for(pairs), 256}, stream, views_.data(), circles_.data(),
                        pair_birth_.data(), sorted_donor_.data(), sorted_pair_.data(), pairs,
                        donors_.data(), taken_mass_.need(room), taken_volume_.need(room));
    launch<take_shares>({blocks_for(count), 256}, stream, first_pair_.data(), count,
                        taken_mass_.data(), taken_volume_.data(), mass_.need(born),
                        volume_.need(born));
    check_cuda(cudaGetLastError(), "adding particles");
}

void Births::append(DevicePhase& phase, std::span<const int> births, std::span<const int> donors,
                    std::span<const std::int64_t> ids, double cell_width, cudaStream_t stream) {
    const int first = phase.size(), count = static_cast<int>(births.size());
    send(births_, births, stream);
    send(donors_, donors, stream);
    phase.append(donors_.data(), ids, stream);
    launch<place_births>({blocks_for(count), 256}, stream, phase.view(), first, births_.data(),
                         count, places_.data(), cell_width, mass_.data(), volume_.data());
}

// The last rows of the phase are the births.
void Births::interpolate(DevicePhase& phase, const PointCells& points, int births,
                         DeviceAlgorithms& algorithms, cudaStream_t stream) {
    const int all_nodes = points.view().block_count * block_nodes;
    const auto room = static_cast<std::size_t>(all_nodes);
    check_cuda(cudaMemsetAsync(flags_.need(room), 0, room, stream), "adding particles");
    launch<need_nodes>({blocks_of_warps(births), 128}, stream, points.view(), births_.data(),
                       births, places_.data(), flags_.data());
    const int nodes = algorithms.select_set(flags_.data(), all_nodes, nodes_.need(room), stream);
    launch<number_nodes>({blocks_for(nodes), 256}, stream, nodes_.data(), nodes,
                         node_index_.need(room));
    const FieldPlanes fields(phase.view());
    launch<sum_rows>({blocks_of_warps(nodes), 128}, stream, points.view(), phase.view(), fields,
                     nodes_.data(), nodes, sums_.need(32 * static_cast<std::size_t>(nodes)));
    launch<gather_rows>({blocks_of_warps(births), 128}, stream, points.view(), fields,
                        births_.data(), births, phase.size() - births, circles_.data(),
                        places_.data(), node_index_.data(), sums_.data());
    check_cuda(cudaGetLastError(), "adding particles");
}

int Births::add(std::span<DevicePhase> phases, const PointCells& points, const Vec3d* places,
                int count, std::int64_t& next_id, DeviceAlgorithms& algorithms,
                cudaStream_t stream) {
    const int born = count == 0 ? 0 : find_circles(points, places, count, algorithms, stream);
    if (born == 0) return 0;
    share_out(phases, points, born, algorithms, stream);
    std::vector<Circle> circles(static_cast<std::size_t>(born));
    check_cuda(cudaMemcpyAsync(circles.data(), circles_.data(), circles.size() * sizeof(Circle),
                               cudaMemcpyDeviceToHost, stream),
               "adding particles");
    check_cuda(cudaStreamSynchronize(stream), "adding particles");
    for (std::size_t p = 0; p < phases.size(); ++p) {
        std::vector<int> births, donors;
        std::vector<std::int64_t> ids;
        for (std::size_t b = 0; b < circles.size(); ++b) {
            if (circles[b].nearest.phase != static_cast<int>(p)) continue;
            births.push_back(static_cast<int>(b));
            donors.push_back(circles[b].nearest.row);
            ids.push_back(next_id + static_cast<std::int64_t>(b));
        }
        if (births.empty()) continue;
        append(phases[p], births, donors, ids, points.view().cell_width, stream);
        interpolate(phases[p], points, static_cast<int>(births.size()), algorithms, stream);
    }
    next_id += born;
    return born;
}

std::size_t Births::bytes() const {
    return flags_.bytes() + chosen_.bytes() + all_circles_.bytes() + circles_.bytes() +
           places_.bytes() + first_pair_.bytes() + pair_birth_.bytes() + pair_donor_.bytes() +
           sorted_donor_.bytes() + pair_number_.bytes() + sorted_pair_.bytes() +
           taken_mass_.bytes() + taken_volume_.bytes() + mass_.bytes() + volume_.bytes() +
           births_.bytes() + donors_.bytes() + nodes_.bytes() + node_index_.bytes() + sums_.bytes();
}

}  // namespace knead
