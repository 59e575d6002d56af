#include "knead/mpm/cuda/sort_particles.h"

#include <algorithm>
#include <cub/cub.cuh>

#include "knead/mpm/transfer/kernels.h"

namespace knead {

namespace {

using Key = unsigned long long;

// Blocks of the box that holds all particles, numbered in (x, y, z) order; one more on each side,
// for the neighbours.
struct BlockBox {
    Vec3i lo, extent;
    __host__ __device__ Key number(const Vec3i& b) const {
        return (static_cast<Key>(b.x - lo.x) * static_cast<Key>(extent.y) +
                static_cast<Key>(b.y - lo.y)) *
                   static_cast<Key>(extent.z) +
               static_cast<Key>(b.z - lo.z);
    }
    __device__ Vec3i block(Key n) const {
        const auto z = static_cast<int>(n % static_cast<Key>(extent.z));
        n /= static_cast<Key>(extent.z);
        const auto y = static_cast<int>(n % static_cast<Key>(extent.y));
        return {lo.x + static_cast<int>(n / static_cast<Key>(extent.y)), lo.y + y, lo.z + z};
    }
    int bits() const {
        const Key all =
            static_cast<Key>(extent.x) * static_cast<Key>(extent.y) * static_cast<Key>(extent.z);
        int bits = 1;
        while (all >> bits) ++bits;
        return bits;
    }
};

constexpr int inner_bits = 9;  // what of a key tells particles of one block apart
constexpr double node_limit = 4.0 * (block_limit - 2);

// How particles are numbered: in cells, shifted to the first node of a support, ahead of now.
struct Numbering {
    double inv_dx, offset, lead;
};

// The first node of a particle's support, and which octant of its cell it is in.
__device__ Vec3i first_node(const ParticleView& p, int i, const Numbering& by, int& octant) {
    int node[3];
    octant = 0;
    for (int a = 0; a < 3; ++a) {
        const double ahead = p.x[a][i] + by.lead * static_cast<double>(p.v[a][i]);
        const double n = ahead * by.inv_dx - by.offset;
        const double first = floor(n);
        node[a] = static_cast<int>(fmin(fmax(first, -node_limit), node_limit));
        octant = 2 * octant + (n - first >= 0.5 ? 1 : 0);
    }
    return {node[0], node[1], node[2]};
}

// box: lo x y z, hi x y z in nodes.
__global__ void find_box(const __grid_constant__ ParticleView p, int n, Numbering by, int* box) {
    int lo[3] = {1 << 30, 1 << 30, 1 << 30}, hi[3] = {-(1 << 30), -(1 << 30), -(1 << 30)};
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
         i += static_cast<int>(gridDim.x * blockDim.x)) {
        int octant;
        const Vec3i node = first_node(p, i, by, octant);
        for (int a = 0; a < 3; ++a) lo[a] = ::min(lo[a], node[a]), hi[a] = ::max(hi[a], node[a]);
    }
    for (int a = 0; a < 3; ++a) {
        const int least = __reduce_min_sync(0xffffffffu, lo[a]);
        const int most = __reduce_max_sync(0xffffffffu, hi[a]);
        if ((threadIdx.x & 31u) == 0) atomicMin(box + a, least), atomicMax(box + 3 + a, most);
    }
}

// Block by block, column by column along z, quarter of the column, layer, half of the cell.
__global__ void make_keys(const __grid_constant__ ParticleView p, int n, Numbering by, BlockBox box,
                          Key* keys, unsigned* rows) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    int octant;
    const Vec3i node = first_node(p, i, by, octant);
    const int column = DeviceBlock::column(node), layer = node.z & 1;
    keys[i] = (box.number(DeviceBlock::of(node)) << inner_bits) |
              static_cast<Key>((column << 4) | ((octant >> 1) << 2) | (layer << 1) | (octant & 1));
    rows[i] = static_cast<unsigned>(i);
}

__global__ void mark_starts(const Key* keys, int n, char* starts) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) starts[i] = i == 0 || keys[i] >> inner_bits != keys[i - 1] >> inner_bits;
}

// Deals a block's particles out: one of every column, then the next of every column, and so on, so
// that few of a warp's particles stand in one column, and that goes on while they move together.
// One warp a block; `rows` are in the order of the keys.
__global__ void deal_out(const Key* keys, const unsigned* rows, const int* starts, int runs, int n,
                         unsigned* order) {
    const int run = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) >> 5);
    if (run >= runs) return;
    const unsigned lane = threadIdx.x & 31u;
    const int begin = starts[run], end = run + 1 < runs ? starts[run + 1] : n;
    // Where column `lane` begins: the first key that is not below it.
    const Key wanted = (keys[begin] >> inner_bits << inner_bits) + static_cast<Key>(lane << 4);
    int lo = begin, hi = end;
    while (lo < hi) {
        const int mid = (lo + hi) / 2;
        if (keys[mid] < wanted)
            lo = mid + 1;
        else
            hi = mid;
    }
    const int next = __shfl_down_sync(0xffffffffu, lo, 1);
    const int count = (lane < 31 ? next : end) - lo;
    int to = begin;
    for (int rank = 0; to < end; ++rank) {
        const unsigned have = __ballot_sync(0xffffffffu, rank < count);
        if (rank < count) order[to + __popc(have & ((1u << lane) - 1))] = rows[lo + rank];
        to += __popc(have);
    }
}

// Block numbers of a phase's runs, and how many sources each makes.
__global__ void describe_runs(const Key* keys, const int* starts, int runs, int n, int chunk,
                              Key* blocks, int* sources) {
    const int r = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (r >= runs) return;
    const int begin = starts[r], end = r + 1 < runs ? starts[r + 1] : n;
    blocks[r] = keys[begin] >> inner_bits;
    sources[r] = (end - begin + chunk - 1) / chunk;
}

__device__ int find(const Key* keys, int n, Key key) {
    int lo = 0, hi = n;
    while (lo < hi) {
        const int mid = (lo + hi) / 2;
        if (keys[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && keys[lo] == key ? lo : -1;
}

__global__ void make_sources(const int* starts, const int* firsts, const Key* run_blocks, int runs,
                             int n, int chunk, int base, const Key* blocks, int block_count,
                             Source* sources, SourceSpan* spans) {
    const int r = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (r >= runs) return;
    const int begin = starts[r], end = r + 1 < runs ? starts[r + 1] : n;
    const int block = find(blocks, block_count, run_blocks[r]);
    const int count = (end - begin + chunk - 1) / chunk, first = base + firsts[r];
    // equal shares, in whole warps
    const int share = ((end - begin + count - 1) / count + 31) / 32 * 32;
    for (int s = 0; s < count; ++s)
        sources[first + s] = {::min(begin + s * share, end), ::min(begin + (s + 1) * share, end),
                              block};
    spans[block] = {first, count};
}

constexpr int links = DeviceBlock::neighbours;

__global__ void list_reached(const Key* blocks, int n, BlockBox box, Key* out) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < links * n)
        out[i] = box.number(DeviceBlock::reached(box.block(blocks[i / links]), i % links));
}

// Coordinates of the blocks in `keys`, and where those they reach, or that reach them, stand in
// `others`.
__global__ void connect(const Key* keys, int n, bool reached, const Key* others, int other_count,
                        BlockBox box, Vec3i* coordinates, int* out) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= links * n) return;
    const Vec3i b = box.block(keys[i / links]);
    const Vec3i other =
        reached ? DeviceBlock::reached(b, i % links) : DeviceBlock::reaching(b, i % links);
    if (i % links == 0) coordinates[i / links] = b;
    const Vec3i at{other.x - box.lo.x, other.y - box.lo.y, other.z - box.lo.z};
    const bool inside = at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < box.extent.x &&
                        at.y < box.extent.y && at.z < box.extent.z;
    out[i] = inside ? find(others, other_count, box.number(other)) : -1;
}

int blocks_for(int n) { return (n + 255) / 256; }

}  // namespace

struct DeviceGrid::Parts {
    GridView view{};
    std::vector<PhaseSources> phase_sources;

    DeviceArray<int> box;
    DeviceArray<Key> keys, sorted_keys;
    DeviceArray<unsigned> rows, sorted_rows;
    std::vector<DeviceArray<unsigned>> orders;
    DeviceArray<char> starts_flags, scratch;
    DeviceArray<int> count;
    std::vector<DeviceArray<int>> starts, source_counts;
    std::vector<DeviceArray<Key>> run_blocks;
    DeviceArray<Key> all_blocks, all_sorted, block_keys, target_keys;
    DeviceArray<Source> sources;
    DeviceArray<SourceSpan> spans;
    DeviceArray<Vec3i> blocks, targets;
    DeviceArray<int> block_targets, target_blocks;
    DeviceArray<char> block_near, target_near;
    DeviceArray<float4> tiles, nodes;

    // Runs a CUB algorithm with scratch memory that only grows.
    template <class Call>
    void with_scratch(const Call& call) {
        std::size_t bytes = 0;
        check_cuda(call(nullptr, bytes), "sorting");
        check_cuda(call(scratch.need(std::max<std::size_t>(bytes, 1)), bytes), "sorting");
    }
    int fetch(const int* value, cudaStream_t stream) {
        int host = 0;
        check_cuda(cudaMemcpyAsync(&host, value, sizeof(int), cudaMemcpyDeviceToHost, stream),
                   "sorting");
        check_cuda(cudaStreamSynchronize(stream), "sorting");
        return host;
    }
    BlockBox box_of(std::span<DevicePhase> phases, const Numbering& by, cudaStream_t);
    void sort_phase(DevicePhase& phase, std::size_t p, const Numbering& by, const BlockBox& box,
                    int chunk, std::vector<int>& runs, cudaStream_t);
    int unique(DeviceArray<Key>& in, int n, int bits, DeviceArray<Key>& out, cudaStream_t);
};

BlockBox DeviceGrid::Parts::box_of(std::span<DevicePhase> phases, const Numbering& by,
                                   cudaStream_t stream) {
    int limits[6] = {1 << 30, 1 << 30, 1 << 30, -(1 << 30), -(1 << 30), -(1 << 30)};
    check_cuda(cudaMemcpyAsync(box.need(6), limits, sizeof(limits), cudaMemcpyHostToDevice, stream),
               "sorting");
    for (DevicePhase& phase : phases)
        if (phase.size() > 0)
            find_box<<<std::min(blocks_for(phase.size()), 1056), 256, 0, stream>>>(
                phase.view(), phase.size(), by, box.data());
    check_cuda(cudaMemcpyAsync(limits, box.data(), sizeof(limits), cudaMemcpyDeviceToHost, stream),
               "sorting");
    check_cuda(cudaStreamSynchronize(stream), "sorting");
    for (int a = 0; a < 3; ++a)
        if (limits[a] <= -node_limit || limits[3 + a] >= node_limit)
            throw RunError("a particle left the space the grid can number");
    BlockBox result;
    for (int a = 0; a < 3; ++a) {
        const int first = limits[a] >> DeviceBlock::shift(a);
        result.lo[a] = first - 1;
        result.extent[a] = (limits[3 + a] >> DeviceBlock::shift(a)) - first + 4;
    }
    return result;
}

void DeviceGrid::Parts::sort_phase(DevicePhase& phase, std::size_t p, const Numbering& by,
                                   const BlockBox& cells, int chunk, std::vector<int>& runs,
                                   cudaStream_t stream) {
    const int n = phase.size();
    runs.push_back(0);
    if (n == 0) return;
    const auto size = static_cast<std::size_t>(n);
    keys.need(size), sorted_keys.need(size), rows.need(size), sorted_rows.need(size);
    orders[p].need(size);
    make_keys<<<blocks_for(n), 256, 0, stream>>>(phase.view(), n, by, cells, keys.data(),
                                                 rows.data());
    with_scratch([&](void* temp, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(temp, bytes, keys.data(), sorted_keys.data(),
                                               rows.data(), sorted_rows.data(), n, 0,
                                               cells.bits() + inner_bits, stream);
    });

    mark_starts<<<blocks_for(n), 256, 0, stream>>>(sorted_keys.data(), n, starts_flags.need(size));
    with_scratch([&](void* temp, std::size_t& bytes) {
        return cub::DeviceSelect::Flagged(temp, bytes, thrust::counting_iterator<int>(0),
                                          starts_flags.data(), starts[p].need(size), count.need(1),
                                          n, stream);
    });
    const int found = runs.back() = fetch(count.data(), stream);
    deal_out<<<(found + 3) / 4, 128, 0, stream>>>(sorted_keys.data(), sorted_rows.data(),
                                                  starts[p].data(), found, n, orders[p].data());
    phase.reorder(orders[p].data(), stream);
    const auto room = static_cast<std::size_t>(found);
    describe_runs<<<blocks_for(found), 256, 0, stream>>>(sorted_keys.data(), starts[p].data(),
                                                         found, n, chunk, run_blocks[p].need(room),
                                                         source_counts[p].need(room + 1));
}

// The distinct keys, ascending; returns how many.
int DeviceGrid::Parts::unique(DeviceArray<Key>& in, int n, int bits, DeviceArray<Key>& out,
                              cudaStream_t stream) {
    const auto size = static_cast<std::size_t>(n);
    all_sorted.need(size), out.need(size);
    with_scratch([&](void* temp, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(temp, bytes, in.data(), all_sorted.data(), n, 0, bits,
                                              stream);
    });
    with_scratch([&](void* temp, std::size_t& bytes) {
        return cub::DeviceSelect::Unique(temp, bytes, all_sorted.data(), out.data(), count.need(1),
                                         n, stream);
    });
    return fetch(count.data(), stream);
}

DeviceGrid::DeviceGrid() : parts_(std::make_unique<Parts>()) {}
DeviceGrid::~DeviceGrid() = default;
const GridView& DeviceGrid::view() const { return parts_->view; }
char* DeviceGrid::block_near() { return parts_->block_near.data(); }
char* DeviceGrid::target_near() { return parts_->target_near.data(); }
PhaseSources DeviceGrid::sources(std::size_t phase) const { return parts_->phase_sources[phase]; }

void DeviceGrid::build(std::span<DevicePhase> phases, const MpmSettings& settings, double lead,
                       cudaStream_t stream) {
    Parts& t = *parts_;
    const Numbering by{1 / settings.dx,
                       settings.kernel == 2 ? support_offset<2> : support_offset<3>, lead};
    const int phase_count = static_cast<int>(phases.size());
    while (t.starts.size() < phases.size()) {
        t.starts.emplace_back(), t.source_counts.emplace_back(), t.run_blocks.emplace_back();
        t.orders.emplace_back();
    }
    // Small scenes are cut finer, so that every multiprocessor has work.
    long long particles = 0;
    for (const DevicePhase& phase : phases) particles += phase.size();
    const int chunk = particles > 2000000  ? 1024
                      : particles > 500000 ? 512
                      : particles > 150000 ? 256
                                           : 128;

    const BlockBox box = t.box_of(phases, by, stream);
    std::vector<int> runs;
    int all = 0;
    for (std::size_t p = 0; p < phases.size(); ++p) {
        t.sort_phase(phases[p], p, by, box, chunk, runs, stream);
        all += runs.back();
    }

    // Blocks of all phases together.
    t.all_blocks.need(static_cast<std::size_t>(all));
    for (std::size_t p = 0, at = 0; p < phases.size(); at += static_cast<std::size_t>(runs[p++]))
        check_cuda(cudaMemcpyAsync(t.all_blocks.data() + at, t.run_blocks[p].data(),
                                   static_cast<std::size_t>(runs[p]) * sizeof(Key),
                                   cudaMemcpyDeviceToDevice, stream),
                   "sorting");
    const int block_count = t.unique(t.all_blocks, all, box.bits(), t.block_keys, stream);

    // Sources.
    const auto span_count = static_cast<std::size_t>(phase_count * block_count);
    check_cuda(
        cudaMemsetAsync(t.spans.need(span_count), 0, span_count * sizeof(SourceSpan), stream),
        "sorting");
    t.phase_sources.assign(phases.size(), {});
    std::vector<int> totals(phases.size());
    for (std::size_t p = 0; p < phases.size(); ++p) {
        if (runs[p] == 0) continue;
        int* counts = t.source_counts[p].data();
        check_cuda(cudaMemsetAsync(counts + runs[p], 0, sizeof(int), stream), "sorting");
        t.with_scratch([&](void* temp, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveSum(temp, bytes, counts, counts, runs[p] + 1, stream);
        });
        totals[p] = t.fetch(counts + runs[p], stream);
    }
    int source_count = 0;
    for (std::size_t p = 0; p < phases.size(); ++p) {
        t.phase_sources[p] = {source_count, totals[p]};
        source_count += totals[p];
    }
    t.sources.need(static_cast<std::size_t>(source_count));
    for (std::size_t p = 0; p < phases.size(); ++p)
        if (runs[p] > 0)
            make_sources<<<blocks_for(runs[p]), 256, 0, stream>>>(
                t.starts[p].data(), t.source_counts[p].data(), t.run_blocks[p].data(), runs[p],
                phases[p].size(), chunk, t.phase_sources[p].first, t.block_keys.data(), block_count,
                t.sources.data(), t.spans.data() + static_cast<int>(p) * block_count);

    // Targets: every neighbour of a block.
    const int reached = links * block_count;
    list_reached<<<blocks_for(reached), 256, 0, stream>>>(
        t.block_keys.data(), block_count, box,
        t.all_blocks.need(static_cast<std::size_t>(reached)));
    const int target_count = t.unique(t.all_blocks, reached, box.bits(), t.target_keys, stream);
    const auto blocks = static_cast<std::size_t>(block_count);
    const auto targets = static_cast<std::size_t>(target_count);
    connect<<<blocks_for(reached), 256, 0, stream>>>(
        t.block_keys.data(), block_count, true, t.target_keys.data(), target_count, box,
        t.blocks.need(blocks), t.block_targets.need(links * blocks));
    connect<<<blocks_for(links * target_count), 256, 0, stream>>>(
        t.target_keys.data(), target_count, false, t.block_keys.data(), block_count, box,
        t.targets.need(targets), t.target_blocks.need(links * targets));
    check_cuda(cudaGetLastError(), "sorting");

    const std::size_t tile_size = with_kernel(settings, [&]<int Order, Transfer transfer>() {
        return std::size_t{node_groups<transfer>} * DeviceTile<Order>::nodes;
    });
    const std::size_t groups = settings.transfer == Transfer::apic ? 1 : 2;
    t.view = {t.sources.data(),
              t.blocks.data(),
              t.block_targets.data(),
              t.targets.data(),
              t.target_blocks.data(),
              t.spans.data(),
              phase_count,
              block_count,
              target_count,
              t.block_near.need(blocks),
              t.target_near.need(targets),
              t.tiles.need(static_cast<std::size_t>(source_count) * tile_size),
              t.nodes.need(targets * groups * DeviceBlock::nodes)};
}

std::size_t DeviceGrid::bytes() const {
    const Parts& t = *parts_;
    std::size_t sum = t.keys.bytes() + t.sorted_keys.bytes() + t.rows.bytes() +
                      t.sorted_rows.bytes() + t.starts_flags.bytes() + t.scratch.bytes() +
                      t.all_blocks.bytes() + t.all_sorted.bytes() + t.block_keys.bytes() +
                      t.target_keys.bytes() + t.sources.bytes() + t.spans.bytes() +
                      t.blocks.bytes() + t.targets.bytes() + t.block_targets.bytes() +
                      t.target_blocks.bytes() + t.tiles.bytes() + t.nodes.bytes();
    for (const auto& a : t.starts) sum += a.bytes();
    for (const auto& a : t.source_counts) sum += a.bytes();
    for (const auto& a : t.run_blocks) sum += a.bytes();
    for (const auto& a : t.orders) sum += a.bytes();
    return sum;
}

}  // namespace knead
