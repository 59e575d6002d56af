#include "knead/mpm/cuda/foam/darts.h"

#include "knead/cuda/launch.h"
#include "knead/cuda/threads.h"
#include "knead/mpm/cuda/foam/cell_search.h"

namespace knead {

namespace {

constexpr int block_cells = PointCellsView::block_cells;
constexpr int warps = 4;  // of a CUDA block, one a cell
enum DartState : int { undecided = 0, won = 1, lost = 2 };

__device__ Vec3i step_to(int neighbour) {
    return {neighbour / 9 - 1, neighbour / 3 % 3 - 1, neighbour % 3 - 1};
}
__device__ Vec3i corner_step(int corner) { return {corner >> 2, (corner >> 1) & 1, corner & 1}; }

// What the kernels of one throw share.
struct Throw {
    PointCellsView points;
    const double* depth;
    std::uint64_t seed, step;
    const int* open;        // cells
    const int* open_index;  // by cell
    int open_count;
    const int* won_count;
    const Vec3d* won;  // from the corners of their cells
    int most_in_cell;
};

__device__ double depth_at(const Throw& t, int block, const Vec3i& place) {
    const int node = t.points.cell_near(block, place);
    return node < 0 ? 4.0 : t.depth[node];
}

// Cells that reach deep enough for a dart: interpolation never falls below the least corner.
__global__ void find_candidates(Throw t, char* flags) {
    const int cell = thread_index();  // the grid has whole blocks
    const Vec3i place = PointCellsView::place_in_block(cell);
    double least = 4;
    for (int c = 0; c < 8; ++c)
        least = fmin(least, depth_at(t, cell / block_cells, place + corner_step(c)));
    flags[cell] = least < dart_depth;
}

// A warp gathers what lies around a cell: points, and darts that have won.
__device__ WarpCellSearch start_search(const Throw& t, int cell, bool with_darts,
                                       WarpCellSearch::Memory& memory) {
    const int lane = lane_index(), block = cell / block_cells;
    const Vec3i place = PointCellsView::place_in_block(cell), at = t.points.coordinates(cell);
    WarpCellSearch search(memory, dart_cell(at, t.seed, t.step));
    __syncwarp();
    if (lane < 8) search.set_corner(lane, depth_at(t, block, place + corner_step(lane)));
    // Lane k looks into the k-th of the 27 cells around.
    const int near = lane < 27 ? t.points.cell_near(block, place + step_to(lane)) : -1;
    int next = near < 0 ? 0 : t.points.begin[near];
    const int end = near < 0 ? 0 : t.points.begin[near + 1];
    const Vec3d corner = static_cast<Vec3d>(at);
    while (__any_sync(all_lanes, next < end)) {
        const bool has = next < end;
        search.add_points(has, has ? static_cast<Vec3f>(t.points.points[next] - corner) : Vec3f{});
        ++next;
    }
    if (!with_darts) return search;
    const int open = near < 0 ? -1 : t.open_index[near];
    const int count = open < 0 ? 0 : t.won_count[open];
    for (int k = 0; __any_sync(all_lanes, k < count); ++k) {
        Vec3f u{};
        if (k < count)
            u = static_cast<Vec3f>(t.won[t.most_in_cell * open + k] +
                                   static_cast<Vec3d>(step_to(lane)));
        search.add_points(k < count, u);
    }
    return search;
}

// One warp a candidate: whether any dart lands in it, if nothing else is added.
__global__ void __launch_bounds__(32 * warps)
    find_open(Throw t, const int* candidates, int count, char* flags) {
    SHARED(WarpCellSearch::Memory[warps], memory);
    const int k = thread_index() / 32;
    if (k >= count) return;
    WarpCellSearch search = start_search(t, candidates[k], false, memory[threadIdx.x / 32]);
    const bool open = search.any_dart();
    if (lane_index() == 0) flags[k] = open;
}

__global__ void pick(const int* from, const int* numbers, int n, int* to) {
    const int i = thread_index();
    if (i < n) to[i] = from[numbers[i]];
}

__global__ void note_open(const int* open, int n, int* open_index) {
    const int i = thread_index();
    if (i < n) open_index[open[i]] = i;
}

__global__ void __launch_bounds__(32 * warps) count_darts(Throw t, int level, int* counts) {
    SHARED(WarpCellSearch::Memory[warps], memory);
    const int k = thread_index() / 32;
    if (k >= t.open_count) return;
    WarpCellSearch search = start_search(t, t.open[k], true, memory[threadIdx.x / 32]);
    int count = 0;
    search.darts(level, [&](bool lands, const DartPart&) {
        count += __popc(__ballot_sync(all_lanes, lands));
        return false;
    });
    if (lane_index() == 0) counts[k] = count;
}

__global__ void __launch_bounds__(32 * warps)
    write_darts(Throw t, int level, const int* first, Vec3d* dart, unsigned long long* priority,
                int* owner, int* state) {
    SHARED(WarpCellSearch::Memory[warps], memory);
    const int k = thread_index() / 32;
    if (k >= t.open_count || first[k] == first[k + 1]) return;
    WarpCellSearch search = start_search(t, t.open[k], true, memory[threadIdx.x / 32]);
    int to = first[k];
    search.darts(level, [&](bool lands, const DartPart& part) {
        const unsigned landed = __ballot_sync(all_lanes, lands);
        if (lands) {
            const int d = to + WarpCellSearch::rank(landed);
            dart[d] = part.dart();
            priority[d] = part.priority();
            owner[d] = k;
            state[d] = undecided;
        }
        to += __popc(landed);
        return false;
    });
}

// A dart loses to one that has won and lies too close; it wins once all better ones so close have
// lost. Whatever others write meanwhile, the end is the same.
__global__ void decide(Throw t, const int* first, const Vec3d* dart,
                       const unsigned long long* priority, const int* owner, int n,
                       volatile int* state, int* left) {
    const int d = thread_index();
    if (d >= n || state[d] != undecided) return;
    const int cell = t.open[owner[d]];
    const Vec3i place = PointCellsView::place_in_block(cell);
    bool waits = false;
    for (int k = 0; k < 27; ++k) {
        const int near = t.points.cell_near(cell / block_cells, place + step_to(k));
        const int open = near < 0 ? -1 : t.open_index[near];
        if (open < 0) continue;
        const Vec3d shift = static_cast<Vec3d>(step_to(k)) - dart[d];
        for (int e = first[open]; e < first[open + 1]; ++e) {
            const bool better = priority[e] < priority[d] || (priority[e] == priority[d] && e < d);
            if (!better) continue;
            if (length_squared(dart[e] + shift) >= dart_spacing * dart_spacing) continue;
            const int other = state[e];
            if (other == won) {
                state[d] = lost;
                return;
            }
            waits = waits || other == undecided;
        }
    }
    if (waits)
        set_flag(left);
    else
        state[d] = won;
}

// Winners join the list of their cell; the key has the order in which they would have come.
__global__ void keep_winners(const int* first, int open_count, const Vec3d* dart,
                             const unsigned long long* priority, const int* state, int level,
                             int most, int* won_count, Vec3d* won_at, unsigned long long* won_key) {
    const int k = thread_index();
    if (k >= open_count) return;
    int count = won_count[k];
    for (int d = first[k]; d < first[k + 1]; ++d) {
        if (state[d] != won || count == most) continue;
        won_at[most * k + count] = dart[d];
        won_key[most * k + count] =
            (static_cast<unsigned long long>(level) << 61) | (priority[d] >> 3);
        ++count;
    }
    won_count[k] = count;
}

__global__ void list_winners(Throw t, const int* to, const unsigned long long* won_key,
                             Vec3d* places, unsigned long long* keys, unsigned* numbers) {
    const int k = thread_index();
    if (k >= t.open_count) return;
    const Vec3d corner = static_cast<Vec3d>(t.points.coordinates(t.open[k]));
    for (int i = 0; i < t.won_count[k]; ++i) {
        const int n = to[k] + i;
        places[n] = corner + t.won[t.most_in_cell * k + i];
        keys[n] = won_key[t.most_in_cell * k + i];
        numbers[n] = static_cast<unsigned>(n);
    }
}

__global__ void place_sorted(const Vec3d* from, const unsigned* numbers, int n, Vec3d* to) {
    const int i = thread_index();
    if (i < n) to[i] = from[numbers[i]];
}

}  // namespace

void Darts::find_open_cells(const PointCells& points, const double* depth, std::uint64_t seed,
                            std::uint64_t step, DeviceAlgorithms& algorithms, cudaStream_t stream) {
    const int cells = points.cell_count();
    const auto n = static_cast<std::size_t>(cells);
    const Throw t{points.view(), depth, seed, step, nullptr, nullptr, 0, nullptr, nullptr, 0};
    launch<find_candidates>({blocks_for(cells), 256}, stream, t, flags_.need(n));
    const int candidates = algorithms.select_set(flags_.data(), cells, candidates_.need(n), stream);
    open_count_ = 0;
    if (candidates == 0) return;
    launch<find_open>({blocks_of_warps(candidates), 32 * warps}, stream, t, candidates_.data(),
                      candidates, flags_.data());
    open_index_.need(n);
    open_count_ = algorithms.select_set(flags_.data(), candidates, open_index_.data(), stream);
    const auto room = static_cast<std::size_t>(open_count_);
    if (open_count_ == 0) return;
    launch<pick>({blocks_for(open_count_), 256}, stream, candidates_.data(), open_index_.data(),
                 open_count_, open_.need(room));
    check_cuda(cudaMemsetAsync(open_index_.data(), 0xff, n * sizeof(int), stream), "filling voids");
    launch<note_open>({blocks_for(open_count_), 256}, stream, open_.data(), open_count_,
                      open_index_.data());
    check_cuda(cudaMemsetAsync(won_count_.need(room + 1), 0, (room + 1) * sizeof(int), stream),
               "filling voids");
    won_.need(most_in_cell * room), won_key_.need(most_in_cell * room), first_.need(room + 1);
}

void Darts::throw_level(int level, const PointCells& points, const double* depth,
                        std::uint64_t seed, std::uint64_t step, DeviceAlgorithms& algorithms,
                        cudaStream_t stream) {
    constexpr int rounds_at_once = 4;
    const Throw t{points.view(), depth,
                  seed,          step,
                  open_.data(),  open_index_.data(),
                  open_count_,   won_count_.data(),
                  won_.data(),   most_in_cell};
    const auto room = static_cast<std::size_t>(open_count_) + 1;
    check_cuda(cudaMemsetAsync(first_.data(), 0, room * sizeof(int), stream), "filling voids");
    launch<count_darts>({blocks_of_warps(open_count_), 32 * warps}, stream, t, level,
                        first_.data());
    algorithms.exclusive_sum(first_.data(), first_.data(), open_count_ + 1, stream);
    const int darts = algorithms.fetch(first_.data() + open_count_, stream);
    if (darts == 0) return;
    const auto n = static_cast<std::size_t>(darts);
    launch<write_darts>({blocks_of_warps(open_count_), 32 * warps}, stream, t, level, first_.data(),
                        dart_.need(n), priority_.need(n), owner_.need(n), state_.need(n));
    int* const left = undecided_.need(1);
    do {
        for (int round = 0; round < rounds_at_once; ++round) {
            check_cuda(cudaMemsetAsync(left, 0, sizeof(int), stream), "filling voids");
            launch<decide>({blocks_for(darts), 256}, stream, t, first_.data(), dart_.data(),
                           priority_.data(), owner_.data(), darts, state_.data(), left);
        }
    } while (algorithms.fetch(left, stream) != 0);
    launch<keep_winners>({blocks_for(open_count_), 256}, stream, first_.data(), open_count_,
                         dart_.data(), priority_.data(), state_.data(), level, most_in_cell,
                         won_count_.data(), won_.data(), won_key_.data());
    check_cuda(cudaGetLastError(), "filling voids");
}

int Darts::list_places(const PointCells& points, DeviceAlgorithms& algorithms,
                       cudaStream_t stream) {
    const auto room = static_cast<std::size_t>(open_count_) + 1;
    const Throw t{points.view(), nullptr,           0,           0,           open_.data(), nullptr,
                  open_count_,   won_count_.data(), won_.data(), most_in_cell};
    algorithms.exclusive_sum(won_count_.data(), won_first_.need(room), open_count_ + 1, stream);
    const int count = algorithms.fetch(won_first_.data() + open_count_, stream);
    if (count == 0) return 0;
    const auto n = static_cast<std::size_t>(count);
    launch<list_winners>({blocks_for(open_count_), 256}, stream, t, won_first_.data(),
                         won_key_.data(), unsorted_.need(n), key_.need(n), number_.need(n));
    algorithms.sort_pairs(key_.data(), sorted_key_.need(n), number_.data(), sorted_number_.need(n),
                          count, {0, 64}, stream);
    launch<place_sorted>({blocks_for(count), 256}, stream, unsorted_.data(), sorted_number_.data(),
                         count, places_.need(n));
    check_cuda(cudaGetLastError(), "filling voids");
    return count;
}

int Darts::throw_all(const PointCells& points, const double* depth, std::uint64_t seed,
                     std::uint64_t step, DeviceAlgorithms& algorithms, cudaStream_t stream) {
    find_open_cells(points, depth, seed, step, algorithms, stream);
    if (open_count_ == 0) return 0;
    for (int level = 0; level < dart_levels; ++level)
        throw_level(level, points, depth, seed, step, algorithms, stream);
    return list_places(points, algorithms, stream);
}

std::size_t Darts::bytes() const {
    return flags_.bytes() + candidates_.bytes() + open_.bytes() + open_index_.bytes() +
           first_.bytes() + owner_.bytes() + state_.bytes() + dart_.bytes() + priority_.bytes() +
           won_count_.bytes() + won_first_.bytes() + won_.bytes() + won_key_.bytes() +
           key_.bytes() + sorted_key_.bytes() + number_.bytes() + sorted_number_.bytes() +
           unsorted_.bytes() + places_.bytes();
}

}  // namespace knead
