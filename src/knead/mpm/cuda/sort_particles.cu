#include "knead/mpm/cuda/sort_particles.h"

#include <algorithm>

#include "knead/cuda/launch.h"
#include "knead/cuda/threads.h"
#include "knead/mpm/cuda/block_table.h"
#include "knead/mpm/cuda/cell_bounds.h"
#include "knead/mpm/cuda/deal_particles.h"
#include "knead/mpm/transfer/kernels.h"

namespace knead {

namespace {

// How many sources a phase's particles make of each block; none for the rest of `most`.
__global__ void count_sources(PhaseBlocks phase, int most, int chunk, int* sources) {
    const int b = thread_index();
    if (b >= most) return;
    int begin = 0, end = 0;
    if (b < *phase.block_count) phase.rows(b, begin, end);
    sources[b] = (end - begin + chunk - 1) / chunk;
}

__global__ void make_sources(PhaseBlocks phase, const int* firsts, int chunk, int base,
                             Source* sources, SourceSpan* spans) {
    const int block = thread_index();
    if (block >= *phase.block_count) return;
    int begin, end;
    phase.rows(block, begin, end);
    const int count = (end - begin + chunk - 1) / chunk, first = base + firsts[block];
    spans[block] = {first, count};
    if (count == 0) return;
    // equal shares, in whole warps
    const int share = ((end - begin + count - 1) / count + 31) / 32 * 32;
    for (int s = 0; s < count; ++s)
        sources[first + s] = {::min(begin + s * share, end), ::min(begin + (s + 1) * share, end),
                              block};
}

struct SplitLists {
    int* numbers[touch_kinds];
};
// A phase's sources by what may touch them, in any order.
__global__ void split(const Source* sources, int first, int count,
                      const DeviceNearColliders* block_near, const ColliderView* colliders,
                      SplitLists lists, int* counts) {
    const int s = first + thread_index();
    int kind = touch_kinds;
    if (s < first + count) {
        const DeviceNearColliders& near = block_near[sources[s].block];
        kind = near.count == 0                                             ? touch_none
               : near.count == 1 && colliders[near.index[0]].is_half_space ? touch_face
                                                                           : touch_any;
    }
    const unsigned peers = __match_any_sync(all_lanes, kind);
    const int leader = __ffs(static_cast<int>(peers)) - 1;
    int place = 0;
    if (kind < touch_kinds && lane_index() == leader)
        place = atomicAdd(counts + kind, __popc(peers));
    place = __shfl_sync(all_lanes, place, leader) + __popc(peers & ((1u << lane_index()) - 1));
    if (kind < touch_kinds) lists.numbers[kind][place] = s;
}

constexpr int links = DeviceBlock::neighbours;

// Marks the blocks that hold a phase's particles, and the targets that they reach.
__global__ void mark_blocks(const int* counts, const int* outside, BlockBox box, int* blocks,
                            int* targets) {
    const int n = thread_index();
    if (n >= box.size() || counts[n] == 0 || *outside) return;
    blocks[n] = 1;
    const Vec3i block = box.block(n);
    for (int k = 0; k < links; ++k) set_flag(targets + box.number(DeviceBlock::reached(block, k)));
}

// Where the blocks that those of a list reach, or that reach them, stand in a table.
__global__ void connect(const Vec3i* blocks, int n, bool reached, BlockTableView others, int* out) {
    const int i = thread_index();
    if (i >= links * n) return;
    const Vec3i b = blocks[i / links];
    out[i] = others.find(reached ? DeviceBlock::reached(b, i % links)
                                 : DeviceBlock::reaching(b, i % links));
}

// What sorting a phase needs and finds.
struct PhaseSort {
    DeviceArray<unsigned> keys, sorted_keys, rows, sorted_rows, order;
    DeviceArray<int> firsts;         // of each block of the box, once summed
    DeviceArray<int> source_counts;  // of each block there is

    std::size_t bytes() const {
        return keys.bytes() + sorted_keys.bytes() + rows.bytes() + sorted_rows.bytes() +
               order.bytes() + firsts.bytes() + source_counts.bytes();
    }
};

// Particles of a source at the most: small scenes are cut finer, so that every multiprocessor has
// work.
int chunk_of(std::span<const DevicePhase> phases) {
    long long particles = 0;
    for (const DevicePhase& phase : phases) particles += phase.size();
    return particles > 2000000 ? 1024 : particles > 500000 ? 512 : particles > 150000 ? 256 : 128;
}

// Numbers that the host must know, side by side.
__global__ void collect(const int* blocks, const int* targets, int* counts) {
    counts[1] = *blocks, counts[2] = *targets;
}

}  // namespace

struct DeviceGrid::Parts {
    GridView view{}, view_of_before{};
    BlockBox numbers;  // of the blocks; empty: not known
    std::vector<PhaseSources> phase_sources;
    int source_count = 0;  // of all phases

    DeviceArray<CellBounds> bounds;
    DeviceArray<int> counts;  // outside, blocks, targets, then the sources of every phase
    std::vector<PhaseSort> sorts;
    DeviceAlgorithms algorithms;
    BlockTable block_table, target_table, target_table_before;
    DeviceArray<Source> sources;
    DeviceArray<SourceSpan> spans;
    DeviceArray<Vec3i> blocks, targets;
    DeviceArray<int> block_targets, target_blocks, seen_before;
    DeviceArray<DeviceNearColliders> block_near, target_near;
    DeviceArray<int> split_sources[touch_kinds], split_counts;
    DeviceArray<float4> tiles, nodes, nodes_before;
    DeviceArray<BoundNode> bound;
    DeviceArray<unsigned> folds;
    Pinned<int> fetched{8};

    PhaseBlocks phase_blocks(std::size_t p) const {
        return {numbers, sorts[p].firsts.data(), blocks.data(), block_table.count()};
    }
    // Blocks that there can be.
    int most_blocks(std::span<DevicePhase> phases) const {
        long long particles = 0;
        for (const DevicePhase& phase : phases) particles += phase.size();
        return static_cast<int>(std::min(numbers.size(), particles));
    }
    BlockBox box_of(std::span<DevicePhase> phases, const Numbering& by, cudaStream_t);
    void number_blocks(std::span<DevicePhase> phases, const Numbering& by, const KeyLayout& layout,
                       cudaStream_t);
    void sort_phases(std::span<DevicePhase> phases, const KeyLayout& layout, int chunk,
                     cudaStream_t);
    // All of the above; what `counts` holds, null where a particle is outside of the box.
    const int* try_box(std::span<DevicePhase> phases, const Numbering& by, int chunk, cudaStream_t);
    void connect_blocks(int block_count, int target_count, cudaStream_t);
    void deal_sources(std::span<const int> counts_found, int block_count, int chunk, cudaStream_t);
    void set_view(const MpmSettings& settings, int block_count, int target_count);
};

// With room around it, so that it serves for a while.
BlockBox DeviceGrid::Parts::box_of(std::span<DevicePhase> phases, const Numbering& by,
                                   cudaStream_t stream) {
    constexpr int room_cells = 8;
    const CellBounds nodes = cell_bounds(phases, FirstNode{by}, bounds, stream);
    BlockBox result;
    for (int a = 0; a < 3; ++a) {
        if (nodes.lo[a] <= -node_limit || nodes.hi[a] >= node_limit)
            throw RunError("a particle left the space the grid can number");
        const int room = 2 + (room_cells >> DeviceBlock::shift(a));
        const int first = nodes.lo[a] >> DeviceBlock::shift(a);
        result.lo[a] = first - room;
        result.extent[a] = (nodes.hi[a] >> DeviceBlock::shift(a)) - first + 1 + 2 * room;
    }
    BlockTable::check(result);
    return result;
}

// The blocks that particles of any phase are in, and the targets around them. Nothing has moved
// yet.
void DeviceGrid::Parts::number_blocks(std::span<DevicePhase> phases, const Numbering& by,
                                      const KeyLayout& layout, cudaStream_t stream) {
    int* const outside = counts.data();
    const auto cells = static_cast<std::size_t>(numbers.size()) + 1;
    for (std::size_t p = 0; p < phases.size(); ++p) {
        const int n = phases[p].size();
        const auto size = static_cast<std::size_t>(n);
        int* const firsts = sorts[p].firsts.need(cells);
        check_cuda(cudaMemsetAsync(firsts, 0, cells * sizeof(int), stream), "sorting");
        if (n > 0)
            launch<make_keys>({blocks_for(n), 256}, stream, phases[p].view(), phases[p].ranks(), n,
                              by, numbers, layout, sorts[p].keys.need(size),
                              sorts[p].rows.need(size), firsts, outside);
    }
    int* const blocks_there = block_table.clear(numbers, stream);
    int* const targets_there = target_table.clear(numbers, stream);
    for (PhaseSort& sort : std::span(sorts).first(phases.size())) {
        int* const firsts = sort.firsts.data();
        launch<mark_blocks>({blocks_for(numbers.size()), 256}, stream, firsts, outside, numbers,
                            blocks_there, targets_there);
        algorithms.exclusive_sum(firsts, firsts, static_cast<int>(cells), stream);
    }
    block_table.number(algorithms, stream);
    target_table.number(algorithms, stream);
    block_table.list(blocks.need(static_cast<std::size_t>(most_blocks(phases))), stream);
    launch<collect>({1, 1}, stream, block_table.count(), target_table.count(), counts.data());
}

void DeviceGrid::Parts::sort_phases(std::span<DevicePhase> phases, const KeyLayout& layout,
                                    int chunk, cudaStream_t stream) {
    const int most = most_blocks(phases);
    for (std::size_t p = 0; p < phases.size(); ++p) {
        PhaseSort& s = sorts[p];
        const int n = phases[p].size();
        const auto size = static_cast<std::size_t>(n);
        if (n > 0) {
            algorithms.sort_pairs(
                s.keys.data(), s.sorted_keys.need(size), s.rows.data(), s.sorted_rows.need(size), n,
                {layout.inner_bits(), layout.inner_bits() + numbers.bits()}, stream);
            launch<deal_out>({std::min(blocks_of_warps(most), 8192u), 32 * deal_warps}, stream,
                             s.sorted_keys.data(), s.sorted_rows.data(), phase_blocks(p), n,
                             counts.data(), layout, s.order.need(size));
            phases[p].reorder(s.order.data(), stream);
        }
        int* const sums = s.source_counts.need(static_cast<std::size_t>(most) + 1);
        launch<count_sources>({blocks_for(most + 1), 256}, stream, phase_blocks(p), most + 1, chunk,
                              sums);
        algorithms.exclusive_sum(sums, sums, most + 1, stream);
        check_cuda(cudaMemcpyAsync(counts.data() + 3 + p, sums + most, sizeof(int),
                                   cudaMemcpyDeviceToDevice, stream),
                   "sorting");
    }
}

const int* DeviceGrid::Parts::try_box(std::span<DevicePhase> phases, const Numbering& by, int chunk,
                                      cudaStream_t stream) {
    const std::size_t n = 3 + phases.size();
    const KeyLayout layout(numbers.bits());
    check_cuda(cudaMemsetAsync(counts.need(n), 0, n * sizeof(int), stream), "sorting");
    number_blocks(phases, by, layout, stream);
    sort_phases(phases, layout, chunk, stream);
    int* const host = fetched.need(n);
    check_cuda(
        cudaMemcpyAsync(host, counts.data(), n * sizeof(int), cudaMemcpyDeviceToHost, stream),
        "sorting");
    check_cuda(cudaStreamSynchronize(stream), "sorting");
    return host[0] == 0 ? host : nullptr;
}

void DeviceGrid::Parts::connect_blocks(int block_count, int target_count, cudaStream_t stream) {
    const auto n_targets = static_cast<std::size_t>(target_count);
    const BlockTableView here = block_table.view(), around = target_table.view();
    target_table.list(targets.need(n_targets), stream);
    const auto link = [&](const Vec3i* list, int n, bool reached, const BlockTableView& others,
                          DeviceArray<int>& out) {
        launch<connect>({blocks_for(links * n), 256}, stream, list, n, reached, others,
                        out.need(static_cast<std::size_t>(links * n)));
    };
    link(blocks.data(), block_count, true, around, block_targets);
    link(blocks.data(), block_count, true, target_table_before.view(), seen_before);
    link(targets.data(), target_count, false, here, target_blocks);
    check_cuda(cudaGetLastError(), "sorting");
}

// Each phase's sources follow those of the phase before.
void DeviceGrid::Parts::deal_sources(std::span<const int> counts_found, int block_count, int chunk,
                                     cudaStream_t stream) {
    phase_sources.clear();
    source_count = 0;
    for (const int count : counts_found) {
        phase_sources.push_back({source_count, count, {}});
        source_count += count;
    }
    const std::size_t phase_count = phase_sources.size();
    spans.need(phase_count * static_cast<std::size_t>(block_count));
    sources.need(static_cast<std::size_t>(source_count));
    for (auto& list : split_sources) list.need(static_cast<std::size_t>(source_count));
    for (std::size_t p = 0; p < phase_count; ++p)
        launch<make_sources>({blocks_for(block_count), 256}, stream, phase_blocks(p),
                             sorts[p].source_counts.data(), chunk, phase_sources[p].first,
                             sources.data(), spans.data() + static_cast<int>(p) * block_count);
}

void DeviceGrid::Parts::set_view(const MpmSettings& settings, int block_count, int target_count) {
    const auto n_blocks = static_cast<std::size_t>(block_count);
    const auto n_targets = static_cast<std::size_t>(target_count);
    const std::size_t tile_size = with_smooth_kernel(settings, [&]<int Order, Transfer transfer>() {
        return std::size_t{node_groups<transfer>} * DeviceTile<Order>::nodes;
    });
    const std::size_t groups = settings.transfer == Transfer::apic ? 1 : 2;
    float4* const there = nodes.need(n_targets * groups * DeviceBlock::nodes);
    view = {sources.data(),
            blocks.data(),
            block_targets.data(),
            block_targets.data(),
            there,
            targets.data(),
            target_blocks.data(),
            spans.data(),
            static_cast<int>(phase_sources.size()),
            block_count,
            target_count,
            block_near.need(n_blocks),
            target_near.need(n_targets),
            tiles.need(static_cast<std::size_t>(source_count) * tile_size),
            there,
            {}};
    if (settings.sticky_walls == StickyWalls::surface)
        view.walls = {target_table.view(), bound.need(n_targets * DeviceBlock::nodes),
                      folds.need(n_targets * DeviceBlock::nodes)};
    view_of_before = view;
    view_of_before.seen_targets = seen_before.data();
    view_of_before.seen_nodes = nodes_before.data();
}

DeviceGrid::DeviceGrid() : parts_(std::make_unique<Parts>()) {}
DeviceGrid::~DeviceGrid() = default;
const GridView& DeviceGrid::view() const { return parts_->view; }
const GridView& DeviceGrid::view_of_before() const { return parts_->view_of_before; }
DeviceNearColliders* DeviceGrid::block_near() { return parts_->block_near.data(); }
DeviceNearColliders* DeviceGrid::target_near() { return parts_->target_near.data(); }
const PhaseSources& DeviceGrid::sources(std::size_t phase) const {
    return parts_->phase_sources[phase];
}

void DeviceGrid::build(std::span<DevicePhase> phases, const MpmSettings& settings, double lead,
                       cudaStream_t stream) {
    Parts& t = *parts_;
    const Numbering by{1 / settings.dx,
                       settings.kernel == 2 ? support_offset<2> : support_offset<3>, lead};
    if (t.sorts.size() < phases.size()) t.sorts.resize(phases.size());
    const int chunk = chunk_of(phases);

    t.target_table.swap(t.target_table_before);
    t.nodes.swap(t.nodes_before);
    // A box known from before may do.
    const int* found = t.numbers.size() > 0 ? t.try_box(phases, by, chunk, stream) : nullptr;
    if (!found) {
        t.numbers = t.box_of(phases, by, stream);
        found = t.try_box(phases, by, chunk, stream);
        if (!found) throw RunError("a particle left the space the grid can number");
    }
    const int block_count = found[1], target_count = found[2];
    t.deal_sources({found + 3, phases.size()}, block_count, chunk, stream);
    t.connect_blocks(block_count, target_count, stream);
    t.set_view(settings, block_count, target_count);
}

// Each phase's lists lie at the place of its sources.
void DeviceGrid::split_sources(const ColliderView* colliders, cudaStream_t stream) {
    Parts& t = *parts_;
    const std::size_t numbers = touch_kinds * t.phase_sources.size();
    int* counts = t.split_counts.need(numbers);
    check_cuda(cudaMemsetAsync(counts, 0, numbers * sizeof(int), stream), "a step");
    for (const PhaseSources& s : t.phase_sources) {
        SplitLists lists;
        for (int k = 0; k < touch_kinds; ++k)
            lists.numbers[k] = t.split_sources[k].data() + s.first;
        if (s.count > 0)
            launch<split>({blocks_for(s.count), 256}, stream, t.sources.data(), s.first, s.count,
                          t.block_near.data(), colliders, lists, counts);
        counts += touch_kinds;
    }
    int* host = t.fetched.need(numbers);
    check_cuda(cudaMemcpyAsync(host, t.split_counts.data(), numbers * sizeof(int),
                               cudaMemcpyDeviceToHost, stream),
               "a step");
    check_cuda(cudaStreamSynchronize(stream), "a step");
    for (PhaseSources& s : t.phase_sources)
        for (int k = 0; k < touch_kinds; ++k)
            s.lists.by[k] = {t.split_sources[k].data() + s.first, *host++};
}

std::size_t DeviceGrid::bytes() const {
    const Parts& t = *parts_;
    std::size_t sum = t.algorithms.bytes() + t.block_table.bytes() + t.target_table.bytes() +
                      t.target_table_before.bytes() + t.sources.bytes() + t.spans.bytes() +
                      t.blocks.bytes() + t.targets.bytes() + t.block_targets.bytes() +
                      t.target_blocks.bytes() + t.seen_before.bytes() + t.tiles.bytes() +
                      t.nodes.bytes() + t.nodes_before.bytes() + t.bound.bytes() + t.folds.bytes();
    for (const PhaseSort& sort : t.sorts) sum += sort.bytes();
    for (const auto& list : t.split_sources) sum += list.bytes();
    return sum;
}

}  // namespace knead
