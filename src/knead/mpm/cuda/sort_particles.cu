#include "knead/mpm/cuda/sort_particles.h"

#include <algorithm>

#include "knead/mpm/cuda/block_table.h"
#include "knead/mpm/transfer/kernels.h"

namespace knead {

namespace {

constexpr int inner_bits = 9;  // what of a key tells particles of one block apart
constexpr double node_limit = 4.0 * (block_limit - 2);

// How particles are numbered: in cells, shifted to the first node of a support, ahead of now.
struct Numbering {
    double inv_dx, offset, lead;
};

// The first node of a particle's support, and which sixteenth of its column it is in.
__device__ Vec3i first_node(const ParticleView& p, int i, const Numbering& by, int& part) {
    int node[3], quarter[3];
    for (int a = 0; a < 3; ++a) {
        const double ahead = p.x[a][i] + by.lead * static_cast<double>(p.v[a][i]);
        const double n = ahead * by.inv_dx - by.offset;
        const double first = floor(n);
        node[a] = static_cast<int>(fmin(fmax(first, -node_limit), node_limit));
        quarter[a] = ::min(static_cast<int>(4 * (n - first)), 3);
    }
    part = 4 * quarter[0] + quarter[2];
    return {node[0], node[1], node[2]};
}

// box: lo x y z, hi x y z in nodes.
__global__ void find_box(const __grid_constant__ ParticleView p, int n, Numbering by, int* box) {
    int lo[3] = {1 << 30, 1 << 30, 1 << 30}, hi[3] = {-(1 << 30), -(1 << 30), -(1 << 30)};
    for (int i = thread_index(); i < n; i += static_cast<int>(gridDim.x * blockDim.x)) {
        int part;
        const Vec3i node = first_node(p, i, by, part);
        for (int a = 0; a < 3; ++a) lo[a] = ::min(lo[a], node[a]), hi[a] = ::max(hi[a], node[a]);
    }
    for (int a = 0; a < 3; ++a) {
        const int least = __reduce_min_sync(0xffffffffu, lo[a]);
        const int most = __reduce_max_sync(0xffffffffu, hi[a]);
        if ((threadIdx.x & 31u) == 0) atomicMin(box + a, least), atomicMax(box + 3 + a, most);
    }
}

// Block by block, column by column along y, and within a column by where they cross into the next.
// Says whether a particle is outside of the box.
template <class K>
__global__ void make_keys(const __grid_constant__ ParticleView p, int n, Numbering by, BlockBox box,
                          K* keys, unsigned* rows, int* outside) {
    const int i = thread_index();
    if (i >= n) return;
    int part;
    const Vec3i node = first_node(p, i, by, part), block = DeviceBlock::of(node);
    const bool inside = box.holds_reached(block);
    const int inner = (DeviceBlock::column(node) << 4) | part;
    const K number = inside ? static_cast<K>(box.number(block)) : 0;
    keys[i] = (number << inner_bits) | static_cast<K>(inner);
    rows[i] = static_cast<unsigned>(i);
    if (!inside) *outside = 1;
}

template <class K>
__global__ void mark_starts(const K* keys, int n, char* starts) {
    const int i = thread_index();
    if (i < n) starts[i] = i == 0 || keys[i] >> inner_bits != keys[i - 1] >> inner_bits;
}

// Deals a block's particles out: one of every column, then the next of every column, and so on, so
// that few of a warp's particles stand in one column, and that goes on while they move together.
// One warp a block; `rows` are in the order of the keys.
template <class K>
__global__ void deal_out(const K* keys, const unsigned* rows, const int* starts, int runs, int n,
                         unsigned* order) {
    const int run = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) >> 5);
    if (run >= runs) return;
    const unsigned lane = threadIdx.x & 31u;
    const int begin = starts[run], end = run + 1 < runs ? starts[run + 1] : n;
    // Where column `lane` begins: the first key that is not below it.
    const K wanted = (keys[begin] >> inner_bits << inner_bits) + static_cast<K>(lane << 4);
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
template <class K>
__global__ void describe_runs(const K* keys, const int* starts, int runs, int n, int chunk,
                              int* blocks, int* sources) {
    const int r = thread_index();
    if (r >= runs) return;
    const int begin = starts[r], end = r + 1 < runs ? starts[r + 1] : n;
    blocks[r] = static_cast<int>(keys[begin] >> inner_bits);
    sources[r] = (end - begin + chunk - 1) / chunk;
}

__global__ void make_sources(const int* starts, const int* firsts, const int* run_blocks, int runs,
                             int n, int chunk, int base, const int* block_index, Source* sources,
                             SourceSpan* spans) {
    const int r = thread_index();
    if (r >= runs) return;
    const int begin = starts[r], end = r + 1 < runs ? starts[r + 1] : n;
    const int block = block_index[run_blocks[r]];
    const int count = (end - begin + chunk - 1) / chunk, first = base + firsts[r];
    // equal shares, in whole warps
    const int share = ((end - begin + count - 1) / count + 31) / 32 * 32;
    for (int s = 0; s < count; ++s)
        sources[first + s] = {::min(begin + s * share, end), ::min(begin + (s + 1) * share, end),
                              block};
    spans[block] = {first, count};
}

// Those of a phase's sources that colliders may touch, and those that they may not, in any order.
__global__ void split(const Source* sources, int first, int count, const NearColliders* block_near,
                      int* far, int* near, int* counts) {
    const int s = first + thread_index();
    if (s >= first + count) return;
    if (block_near[sources[s].block].count > 0)
        near[atomicAdd(counts + 1, 1)] = s;
    else
        far[atomicAdd(counts, 1)] = s;
}

constexpr int links = DeviceBlock::neighbours;

// Marks the blocks of a phase's runs, and the targets that they reach.
__global__ void mark_blocks(const int* run_blocks, int runs, BlockBox box, int* blocks,
                            int* targets) {
    const int i = thread_index();
    if (i >= links * runs) return;
    const int block = run_blocks[i / links];
    if (i % links == 0) blocks[block] = 1;
    targets[box.number(DeviceBlock::reached(box.block(block), i % links))] = 1;
}

// Where the blocks that those of a list reach, or that reach them, stand in a table.
__global__ void connect(const Vec3i* blocks, int n, bool reached, BlockTableView others, int* out) {
    const int i = thread_index();
    if (i >= links * n) return;
    const Vec3i b = blocks[i / links];
    out[i] = others.find(reached ? DeviceBlock::reached(b, i % links)
                                 : DeviceBlock::reaching(b, i % links));
}

}  // namespace

struct DeviceGrid::Parts {
    GridView view{}, view_of_before{};
    BlockBox numbers;  // of the blocks; empty: not known
    std::vector<PhaseSources> phase_sources;

    DeviceArray<int> limits, counts;
    DeviceArray<char> keys, sorted_keys;
    DeviceArray<unsigned> rows, sorted_rows;
    std::vector<DeviceArray<unsigned>> orders;
    DeviceArray<char> starts_flags;
    DeviceAlgorithms algorithms;
    std::vector<DeviceArray<int>> starts, source_counts, run_blocks;
    BlockTable block_table, target_table, target_table_before;
    DeviceArray<Source> sources;
    DeviceArray<SourceSpan> spans;
    DeviceArray<Vec3i> blocks, targets;
    DeviceArray<int> block_targets, target_blocks, seen_before;
    DeviceArray<NearColliders> block_near, target_near;
    DeviceArray<int> far_sources, near_sources, split_counts;
    DeviceArray<float4> tiles, nodes, nodes_before;
    Pinned<int> fetched{8};

    // The first n of `counts`.
    const int* fetch(std::size_t n, cudaStream_t stream) {
        int* host = fetched.need(n);
        check_cuda(
            cudaMemcpyAsync(host, counts.data(), n * sizeof(int), cudaMemcpyDeviceToHost, stream),
            "sorting");
        check_cuda(cudaStreamSynchronize(stream), "sorting");
        return host;
    }
    BlockBox box_of(std::span<DevicePhase> phases, const Numbering& by, cudaStream_t);
    bool sort_phases(std::span<DevicePhase> phases, const Numbering& by, int chunk,
                     std::vector<int>& runs, cudaStream_t);
    // K: the kind of number that holds the keys. False: a particle is outside of the box.
    template <class K>
    bool sort_phase(DevicePhase& phase, std::size_t p, const Numbering& by, int chunk, int& runs,
                    cudaStream_t);
    void number_blocks(const std::vector<int>& runs, int& block_count, int& target_count,
                       cudaStream_t);
    void connect_blocks(int block_count, int target_count, cudaStream_t);
};

// With room around it, so that it serves for a while.
BlockBox DeviceGrid::Parts::box_of(std::span<DevicePhase> phases, const Numbering& by,
                                   cudaStream_t stream) {
    constexpr int room = 4;
    int ends[6] = {1 << 30, 1 << 30, 1 << 30, -(1 << 30), -(1 << 30), -(1 << 30)};
    check_cuda(cudaMemcpyAsync(limits.need(6), ends, sizeof(ends), cudaMemcpyHostToDevice, stream),
               "sorting");
    for (DevicePhase& phase : phases)
        if (phase.size() > 0)
            find_box<<<std::min(blocks_for(phase.size()), 1056u), 256, 0, stream>>>(
                phase.view(), phase.size(), by, limits.data());
    check_cuda(cudaMemcpyAsync(ends, limits.data(), sizeof(ends), cudaMemcpyDeviceToHost, stream),
               "sorting");
    check_cuda(cudaStreamSynchronize(stream), "sorting");
    BlockBox result;
    for (int a = 0; a < 3; ++a) {
        if (ends[a] <= -node_limit || ends[3 + a] >= node_limit)
            throw RunError("a particle left the space the grid can number");
        const int first = ends[a] >> DeviceBlock::shift(a);
        result.lo[a] = first - room;
        result.extent[a] = (ends[3 + a] >> DeviceBlock::shift(a)) - first + 1 + 2 * room;
    }
    BlockTable::check(result);
    return result;
}

template <class K>
bool DeviceGrid::Parts::sort_phase(DevicePhase& phase, std::size_t p, const Numbering& by,
                                   int chunk, int& runs, cudaStream_t stream) {
    const int n = phase.size();
    runs = 0;
    if (n == 0) return true;
    const auto size = static_cast<std::size_t>(n);
    rows.need(size), sorted_rows.need(size), orders[p].need(size);
    K* const keys_in = reinterpret_cast<K*>(keys.need(size * sizeof(K)));
    K* const keys_out = reinterpret_cast<K*>(sorted_keys.need(size * sizeof(K)));
    int* const count = counts.need(2);  // of runs, and whether a particle is outside
    check_cuda(cudaMemsetAsync(count, 0, 2 * sizeof(int), stream), "sorting");
    make_keys<<<blocks_for(n), 256, 0, stream>>>(phase.view(), n, by, numbers, keys_in, rows.data(),
                                                 count + 1);
    algorithms.sort_pairs(keys_in, keys_out, rows.data(), sorted_rows.data(), n,
                          numbers.bits() + inner_bits, stream);
    mark_starts<<<blocks_for(n), 256, 0, stream>>>(keys_out, n, starts_flags.need(size));
    algorithms.select_set(starts_flags.data(), n, starts[p].need(size), count, stream);
    const int* found = fetch(2, stream);
    if (found[1] != 0) return false;
    runs = found[0];
    deal_out<<<(runs + 3) / 4, 128, 0, stream>>>(keys_out, sorted_rows.data(), starts[p].data(),
                                                 runs, n, orders[p].data());
    phase.reorder(orders[p].data(), stream);
    const auto room = static_cast<std::size_t>(runs);
    describe_runs<<<blocks_for(runs), 256, 0, stream>>>(keys_out, starts[p].data(), runs, n, chunk,
                                                        run_blocks[p].need(room),
                                                        source_counts[p].need(room + 1));
    return true;
}

// False: a particle is outside of the box.
bool DeviceGrid::Parts::sort_phases(std::span<DevicePhase> phases, const Numbering& by, int chunk,
                                    std::vector<int>& runs, cudaStream_t stream) {
    const bool narrow = numbers.bits() + inner_bits <= 32;
    for (std::size_t p = 0; p < phases.size(); ++p)
        if (!(narrow ? sort_phase<unsigned>(phases[p], p, by, chunk, runs[p], stream)
                     : sort_phase<unsigned long long>(phases[p], p, by, chunk, runs[p], stream)))
            return false;
    return true;
}

// Blocks of all phases together, the targets around them, and how many sources each phase has.
void DeviceGrid::Parts::number_blocks(const std::vector<int>& runs, int& block_count,
                                      int& target_count, cudaStream_t stream) {
    int* const blocks_there = block_table.clear(numbers, stream);
    int* const targets_there = target_table.clear(numbers, stream);
    for (std::size_t p = 0; p < runs.size(); ++p)
        if (runs[p] > 0)
            mark_blocks<<<blocks_for(links * static_cast<long long>(runs[p])), 256, 0, stream>>>(
                run_blocks[p].data(), runs[p], numbers, blocks_there, targets_there);
    int* const to = counts.need(2 + runs.size());
    const auto keep = [&](std::size_t k, const int* value) {
        check_cuda(cudaMemcpyAsync(to + k, value, sizeof(int), cudaMemcpyDeviceToDevice, stream),
                   "sorting");
    };
    keep(0, block_table.number(algorithms, stream));
    keep(1, target_table.number(algorithms, stream));
    for (std::size_t p = 0; p < runs.size(); ++p) {
        if (runs[p] == 0) continue;
        int* const sums = source_counts[p].data();
        check_cuda(cudaMemsetAsync(sums + runs[p], 0, sizeof(int), stream), "sorting");
        algorithms.exclusive_sum(sums, sums, runs[p] + 1, stream);
        keep(2 + p, sums + runs[p]);
    }
    const int* found = fetch(2 + runs.size(), stream);
    block_count = found[0], target_count = found[1];
    int first = 0;
    for (std::size_t p = 0; p < runs.size(); ++p) {
        phase_sources[p] = {first, runs[p] > 0 ? found[2 + p] : 0, {}, {}};
        first += phase_sources[p].count;
    }
}

void DeviceGrid::Parts::connect_blocks(int block_count, int target_count, cudaStream_t stream) {
    const auto n_blocks = static_cast<std::size_t>(block_count);
    const auto n_targets = static_cast<std::size_t>(target_count);
    const BlockTableView here = block_table.view(), around = target_table.view();
    block_table.list(blocks.need(n_blocks), stream);
    target_table.list(targets.need(n_targets), stream);
    const auto link = [&](const Vec3i* list, int n, bool reached, const BlockTableView& others,
                          DeviceArray<int>& out) {
        connect<<<blocks_for(links * n), 256, 0, stream>>>(
            list, n, reached, others, out.need(static_cast<std::size_t>(links * n)));
    };
    link(blocks.data(), block_count, true, around, block_targets);
    link(blocks.data(), block_count, true, target_table_before.view(), seen_before);
    link(targets.data(), target_count, false, here, target_blocks);
    check_cuda(cudaGetLastError(), "sorting");
}

DeviceGrid::DeviceGrid() : parts_(std::make_unique<Parts>()) {}
DeviceGrid::~DeviceGrid() = default;
const GridView& DeviceGrid::view() const { return parts_->view; }
const GridView& DeviceGrid::view_of_before() const { return parts_->view_of_before; }
NearColliders* DeviceGrid::block_near() { return parts_->block_near.data(); }
NearColliders* DeviceGrid::target_near() { return parts_->target_near.data(); }
const PhaseSources& DeviceGrid::sources(std::size_t phase) const {
    return parts_->phase_sources[phase];
}

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

    t.target_table.swap(t.target_table_before);
    t.nodes.swap(t.nodes_before);
    std::vector<int> runs(phases.size());
    // A box known from before may do; rows of several phases must not be moved in vain.
    if (phases.size() > 1) t.numbers = {};
    if (t.numbers.size() == 0 || !t.sort_phases(phases, by, chunk, runs, stream)) {
        t.numbers = t.box_of(phases, by, stream);
        if (!t.sort_phases(phases, by, chunk, runs, stream))
            throw RunError("a particle left the space the grid can number");
    }
    int block_count = 0, target_count = 0;
    t.phase_sources.resize(phases.size());
    t.number_blocks(runs, block_count, target_count, stream);

    const auto span_count = static_cast<std::size_t>(phase_count * block_count);
    check_cuda(
        cudaMemsetAsync(t.spans.need(span_count), 0, span_count * sizeof(SourceSpan), stream),
        "sorting");
    const PhaseSources& last = t.phase_sources.back();
    const int source_count = last.first + last.count;
    t.sources.need(static_cast<std::size_t>(source_count));
    t.far_sources.need(static_cast<std::size_t>(source_count));
    t.near_sources.need(static_cast<std::size_t>(source_count));
    for (std::size_t p = 0; p < phases.size(); ++p)
        if (runs[p] > 0)
            make_sources<<<blocks_for(runs[p]), 256, 0, stream>>>(
                t.starts[p].data(), t.source_counts[p].data(), t.run_blocks[p].data(), runs[p],
                phases[p].size(), chunk, t.phase_sources[p].first, t.block_table.view().index,
                t.sources.data(), t.spans.data() + static_cast<int>(p) * block_count);
    t.connect_blocks(block_count, target_count, stream);
    const auto blocks = static_cast<std::size_t>(block_count);
    const auto targets = static_cast<std::size_t>(target_count);

    const std::size_t tile_size = with_kernel(settings, [&]<int Order, Transfer transfer>() {
        return std::size_t{node_groups<transfer>} * DeviceTile<Order>::nodes;
    });
    const std::size_t groups = settings.transfer == Transfer::apic ? 1 : 2;
    float4* nodes = t.nodes.need(targets * groups * DeviceBlock::nodes);
    t.view = {t.sources.data(),
              t.blocks.data(),
              t.block_targets.data(),
              t.block_targets.data(),
              nodes,
              t.targets.data(),
              t.target_blocks.data(),
              t.spans.data(),
              phase_count,
              block_count,
              target_count,
              t.block_near.need(blocks),
              t.target_near.need(targets),
              t.tiles.need(static_cast<std::size_t>(source_count) * tile_size),
              nodes};
    t.view_of_before = t.view;
    t.view_of_before.seen_targets = t.seen_before.data();
    t.view_of_before.seen_nodes = t.nodes_before.data();
}

// Each phase's lists lie at the place of its sources.
void DeviceGrid::split_sources(cudaStream_t stream) {
    Parts& t = *parts_;
    const std::size_t phases = t.phase_sources.size();
    int* counts = t.split_counts.need(2 * phases);
    check_cuda(cudaMemsetAsync(counts, 0, 2 * phases * sizeof(int), stream), "a step");
    for (std::size_t p = 0; p < phases; ++p) {
        PhaseSources& s = t.phase_sources[p];
        if (s.count > 0)
            split<<<blocks_for(s.count), 256, 0, stream>>>(
                t.sources.data(), s.first, s.count, t.block_near.data(),
                t.far_sources.data() + s.first, t.near_sources.data() + s.first, counts + 2 * p);
    }
    int* host = t.fetched.need(2 * phases);
    check_cuda(
        cudaMemcpyAsync(host, counts, 2 * phases * sizeof(int), cudaMemcpyDeviceToHost, stream),
        "a step");
    check_cuda(cudaStreamSynchronize(stream), "a step");
    for (std::size_t p = 0; p < phases; ++p) {
        PhaseSources& s = t.phase_sources[p];
        s.far = {t.far_sources.data() + s.first, host[2 * p]};
        s.near = {t.near_sources.data() + s.first, host[2 * p + 1]};
    }
}

std::size_t DeviceGrid::bytes() const {
    const Parts& t = *parts_;
    std::size_t sum =
        t.keys.bytes() + t.sorted_keys.bytes() + t.rows.bytes() + t.sorted_rows.bytes() +
        t.starts_flags.bytes() + t.algorithms.bytes() + t.block_table.bytes() +
        t.target_table.bytes() + t.target_table_before.bytes() + t.sources.bytes() +
        t.far_sources.bytes() + t.near_sources.bytes() + t.spans.bytes() + t.blocks.bytes() +
        t.targets.bytes() + t.block_targets.bytes() + t.target_blocks.bytes() +
        t.seen_before.bytes() + t.tiles.bytes() + t.nodes.bytes() + t.nodes_before.bytes();
    for (const auto& a : t.starts) sum += a.bytes();
    for (const auto& a : t.source_counts) sum += a.bytes();
    for (const auto& a : t.run_blocks) sum += a.bytes();
    for (const auto& a : t.orders) sum += a.bytes();
    return sum;
}

}  // namespace knead
