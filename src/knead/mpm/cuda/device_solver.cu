#include "knead/mpm/cuda/device_solver.h"

#include <algorithm>
#include <cmath>

#include "knead/base/profile.h"
#include "knead/cuda/launch.h"
#include "knead/cuda/threads.h"
#include "knead/mpm/cuda/device_colliders.h"
#include "knead/mpm/cuda/foam/edit_particles.h"
#include "knead/mpm/cuda/sort_particles.h"
#include "knead/mpm/cuda/step_graph.h"
#include "knead/mpm/cuda/step_particles.h"
#include "knead/mpm/cuda/update_grid.h"
#include "knead/mpm/formulas.h"

namespace knead {

namespace {

constexpr int most_steps = 128;     // of a batch
constexpr int steps_a_graph = 8;    // and of the graph that is started again and again in it
constexpr int steps_before_it = 2;  // at least, which keep the GPU busy while it is put together

__global__ void count_graph(int* ahead) { *ahead += steps_a_graph; }

// A batch that is to come.
struct Stretch {
    bool begins_sorted = false;  // or particles must be sorted first
    double steps_ahead = 0;      // of the positions by which they are
    double used = 0;             // of the room around blocks, at the first step
    int steps = 0;
};

// Between two events, in order, while measuring.
class StageClock {
public:
    ~StageClock() {
        for (auto& e : marks_) cudaEventDestroy(e);
    }
    bool on = false;
    std::vector<std::pair<std::string, double>> totals;

    // Events keep kernels from overlapping, so that only one batch in a few is measured.
    static constexpr int batches_a_sample = 16;
    void begin_batch(bool wanted) { on = wanted && batches_++ % batches_a_sample == 0; }

    // The work put into the stream since the last mark belongs to this stage.
    void mark(const char* stage, cudaStream_t stream) {
        if (!on) return;
        if (names_.size() == marks_.size()) {
            marks_.emplace_back();
            check_cuda(cudaEventCreate(&marks_.back()), "measuring");
        }
        check_cuda(cudaEventRecord(marks_[names_.size()], stream), "measuring");
        names_.push_back(stage);
    }
    // The stream has come to rest: adds the times up.
    void collect() {
        for (std::size_t i = 1; i < names_.size(); ++i) {
            float milliseconds = 0;
            cudaEventElapsedTime(&milliseconds, marks_[i - 1], marks_[i]);
            const double seconds = 1e-3 * batches_a_sample * static_cast<double>(milliseconds);
            const auto at = std::find_if(totals.begin(), totals.end(),
                                         [&](const auto& t) { return t.first == names_[i]; });
            if (at == totals.end())
                totals.emplace_back(names_[i], seconds);
            else
                at->second += seconds;
        }
        names_.clear();
    }

private:
    int batches_ = 0;
    std::vector<cudaEvent_t> marks_;
    std::vector<std::string> names_;
};

}  // namespace

struct DeviceSolver::Parts {
    MpmSettings settings;
    Vec3d gravity;
    std::vector<Law<float>> laws;
    std::vector<Collider> collider_list;
    DeviceColliders colliders;
    cudaStream_t stream = nullptr;
    PinnedCopies copies;
    cudaStream_t snapshot_stream = nullptr;  // for reading what was remembered
    PinnedCopies snapshot_copies;
    DeviceArray<unsigned long long> largest;
    std::vector<DevicePhase> phases;
    std::vector<int> materials;
    ParticleEdits edits;
    DeviceGrid grid;
    StepGraph graph;
    DeviceArray<StepSlot> slots;
    DeviceArray<int> ahead;
    DeviceArray<float> heal;
    StepSlot* host_slots = nullptr;  // pinned
    float* host_heal = nullptr;      // pinned
    double used = 0;                 // of the room around blocks
    bool sorted = false;
    double added_with_dt = 0;  // step length for which the tiles hold the particles; 0: they do not
    bool measuring = false;
    StageClock clock;
    Profile edit_times;

    Parts(const MpmSettings& s, const std::vector<Collider>& c, const Vec3d& g,
          std::vector<Law<float>> l)
        : settings(s), gravity(g), laws(std::move(l)), collider_list(c), colliders(collider_list) {
        check_cuda(cudaStreamCreate(&stream), "starting");
        check_cuda(cudaStreamCreateWithFlags(&snapshot_stream, cudaStreamNonBlocking), "starting");
        check_cuda(
            cudaMallocHost(reinterpret_cast<void**>(&host_slots), most_steps * sizeof(StepSlot)),
            "starting");
        check_cuda(cudaMallocHost(reinterpret_cast<void**>(&host_heal), most_steps * sizeof(float)),
                   "starting");
    }
    ~Parts() {
        cudaFreeHost(host_heal);
        cudaFreeHost(host_slots);
        cudaStreamDestroy(snapshot_stream);
        cudaStreamDestroy(stream);
    }

    // The next batch sorts and adds the particles first.
    void begin_anew() {
        sorted = false;
        added_with_dt = 0;
    }
    Stretch plan(double move, std::size_t wanted) const;
    StepView first_view(double time, double dt, double speed, std::span<const double> heal_dt);
    void sort(double seconds_ahead);
    void add_phases(const StepView& step);
    void update_grid(StepView view, int k, cudaStream_t to);
    void run_phases(StepView view, int k, const GridView& read, cudaStream_t to);
    void put_steps(const StepView& view, bool reads_before);
    BatchReport report(int steps);
};

DeviceSolver::DeviceSolver(const MpmSettings& settings, const std::vector<Collider>& colliders,
                           const Vec3d& gravity, std::vector<Law<float>> laws)
    : parts_(std::make_unique<Parts>(settings, colliders, gravity, std::move(laws))) {}
void DeviceSolver::hold_belt(std::size_t collider, bool held) {
    parts_->collider_list[collider].motion.belt.held = held;
}
DeviceSolver::~DeviceSolver() = default;

void DeviceSolver::upload(const std::vector<Phase<float>>& phases) {
    Parts& t = *parts_;
    t.phases.resize(phases.size());
    t.materials.clear();
    for (std::size_t p = 0; p < phases.size(); ++p) {
        if (phases[p].particles.size() > 0x7fffffff)
            throw RunError("the GPU takes at most 2147483647 particles of one material");
        t.phases[p].upload(phases[p].particles, static_cast<int>(p), t.settings.transfer, t.copies,
                           t.stream);
        t.materials.push_back(phases[p].material);
    }
    t.begin_anew();
}

void DeviceSolver::download(std::vector<Phase<float>>& phases) {
    Parts& t = *parts_;
    for (std::size_t p = 0; p < phases.size(); ++p) {
        t.phases[p].download(phases[p].particles, t.copies, t.stream);
        phases[p].blocks.clear();
    }
    t.begin_anew();
}

bool DeviceSolver::take_snapshot() {
    Parts& t = *parts_;
    try {
        for (DevicePhase& phase : t.phases) phase.take_snapshot(t.stream);
    } catch (const OutOfDeviceMemory&) {
        return false;
    }
    // It is complete before another stream reads it.
    check_cuda(cudaStreamSynchronize(t.stream), "remembering particles");
    t.begin_anew();
    return true;
}

void DeviceSolver::read_snapshot(const std::vector<Phase<float>>& table,
                                 std::vector<Phase<float>>& phases) {
    Parts& t = *parts_;
    phases.resize(table.size());
    for (std::size_t p = 0; p < phases.size(); ++p) {
        t.phases[p].read_snapshot(table[p].particles, phases[p].particles, t.snapshot_copies,
                                  t.snapshot_stream);
        phases[p].material = table[p].material;
        phases[p].blocks.clear();
    }
}

namespace {

// Bits of positive numbers are ordered as the numbers are.
__global__ void find_largest_specific_volume(const float* volume, const float* mass, int n,
                                             unsigned long long* largest) {
    const int i = thread_index();
    if (i >= n) return;
    const double specific = static_cast<double>(volume[i]) / static_cast<double>(mass[i]);
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(specific));
    if (bits > peek(largest)) atomicMax(largest, bits);
}

}  // namespace

std::vector<double> DeviceSolver::max_specific_volumes() {
    Parts& t = *parts_;
    std::vector<double> list;
    for (const DevicePhase& phase : t.phases) {
        unsigned long long bits = 0;
        unsigned long long* const largest = t.largest.need(1);
        check_cuda(cudaMemsetAsync(largest, 0, sizeof(bits), t.stream), "the time step");
        if (phase.size() > 0)
            launch<find_largest_specific_volume>({blocks_for(phase.size()), 256}, t.stream,
                                                 phase.view().volume, phase.view().mass,
                                                 phase.size(), largest);
        check_cuda(cudaMemcpyAsync(&bits, largest, sizeof(bits), cudaMemcpyDeviceToHost, t.stream),
                   "the time step");
        check_cuda(cudaStreamSynchronize(t.stream), "the time step");
        list.push_back(std::bit_cast<double>(bits));
    }
    return list;
}

// The view of the scatter that begins a batch; steps differ in `step` alone.
StepView DeviceSolver::Parts::first_view(double time, double dt, double speed,
                                         std::span<const double> heal_dt) {
    const int steps = static_cast<int>(heal_dt.size());
    std::vector<double> times;
    for (int k = 0; k < steps; ++k) times.push_back(time += dt);
    for (std::size_t k = 0; k < heal_dt.size(); ++k) host_heal[k] = static_cast<float>(heal_dt[k]);
    StepView view{};
    view.slots = slots.need(most_steps);
    view.step = -1;
    view.ahead = ahead.need(1);
    view.heal_dt = heal.need(most_steps);
    check_cuda(cudaMemsetAsync(slots.data(), 0, most_steps * sizeof(StepSlot), stream), "a step");
    check_cuda(cudaMemsetAsync(ahead.data(), 0, sizeof(int), stream), "a step");
    check_cuda(cudaMemcpyAsync(heal.data(), host_heal, heal_dt.size() * sizeof(float),
                               cudaMemcpyHostToDevice, stream),
               "a step");
    view.steps = steps;
    view.first_used = static_cast<float>(used);
    view.first_move = static_cast<float>(speed * dt / settings.dx);
    view.move_allowed = static_cast<float>(1.5 * settings.cfl);
    view.dx = settings.dx;
    view.sticky_reach = settings.sticky_walls == StickyWalls::surface ? 0 : settings.sticky_reach;
    view.dt = dt;
    view.flip_fraction = static_cast<float>(flip_share(settings, dt));
    view.damping = static_cast<float>(settings.damping);
    view.wants_strain = settings.resampling;
    view.gravity = gravity;
    view.colliders = colliders.freeze(times, stream);
    view.collider_count = colliders.size();
    return view;
}

void DeviceSolver::Parts::add_phases(const StepView& step) {
    for (std::size_t p = 0; p < phases.size(); ++p) {
        const PhaseSources& s = grid.sources(p);
        if (s.count > 0)
            launch_add(settings, phases[p].view(), grid.view(), step, s.first, s.count, stream);
    }
}

// The two halves of step k of a batch.
void DeviceSolver::Parts::update_grid(StepView view, int k, cudaStream_t to) {
    view.step = k;
    launch_update_grid(settings, grid.view(), view, to);
    if (to == stream) clock.mark("update_grid", to);
}
void DeviceSolver::Parts::run_phases(StepView view, int k, const GridView& read, cudaStream_t to) {
    view.step = k;
    for (std::size_t p = 0; p < phases.size(); ++p)
        launch_step(laws[static_cast<std::size_t>(materials[p])], settings, phases[p].view(), read,
                    view, grid.sources(p).lists, to);
    if (to == stream) clock.mark("grid_to_particles_to_grid", to);
}

// A batch: some steps one by one, so that the GPU works while the graph is put together, and the
// rest as that graph, which counts how often it was started. Where stages are measured there is
// none. The grid of the first step was updated before a sort, if particles read that one.
void DeviceSolver::Parts::put_steps(const StepView& view, bool reads_before) {
    const int rest = view.steps - steps_before_it;
    const bool has_graph = !clock.on && rest >= steps_a_graph;
    const int apart = has_graph ? steps_before_it + rest % steps_a_graph : view.steps;
    for (int k = 0; k < apart; ++k) {
        const bool before = k == 0 && reads_before;
        if (!before) update_grid(view, k, stream);
        run_phases(view, k, before ? grid.view_of_before() : grid.view(), stream);
    }
    if (!has_graph) return;
    graph.record([&](cudaStream_t to) {
        for (int k = apart; k < apart + steps_a_graph; ++k) {
            update_grid(view, k, to);
            run_phases(view, k, grid.view(), to);
        }
        launch<count_graph>({1, 1}, to, ahead.data());
    });
    for (int k = apart; k < view.steps; k += steps_a_graph) graph.start(stream);
}

// Particles are sorted, by where they will be half-way to the next sort, and read the nodes of the
// grid they were on if they had been added to it.
void DeviceSolver::Parts::sort(double seconds_ahead) {
    grid.build(phases, settings, seconds_ahead, stream);
    sorted = true;
    clock.mark("sort_particles", stream);
}

// How many steps fit between two sorts, and how far particles go in them.
Stretch DeviceSolver::Parts::plan(double move, std::size_t wanted) const {
    constexpr double room = room_allowed;
    Stretch s;
    double free = room - used;  // that particles may move before the next sort [cells]
    s.begins_sorted = sorted && used + 2.4 * move < room;
    if (!s.begins_sorted) {
        const double ahead = std::min(std::max(0.0, 0.95 - 2.4 * move), 0.75);
        s.steps_ahead = std::min(ahead / std::max(move, 1e-9), 0.5 * static_cast<double>(wanted));
        s.used = s.steps_ahead * move;
        free = room + s.used;
    } else {
        s.used = used;
    }
    // More steps than will fit before the next sort would be put into the stream for nothing.
    const double fitting = std::ceil(free / std::max(move, 1e-6) - 2.4) + 1;
    s.steps = static_cast<int>(
        std::max(1.0, std::min({static_cast<double>(wanted), double{most_steps}, fitting})));
    return s;
}

BatchReport DeviceSolver::advance(double time, double dt, double speed,
                                  std::span<const double> heal) {
    Parts& t = *parts_;
    t.clock.begin_batch(t.measuring);
    t.clock.mark("start", t.stream);
    const Stretch plan = t.plan(speed * dt / t.settings.dx, heal.size());
    // Whether the tiles already hold what the particles bring to the first step.
    const bool on_grid = t.added_with_dt > 0 && t.sorted &&
                         (keeps_own(t.settings.transfer) || t.added_with_dt == dt);
    t.used = plan.used;
    StepView first =
        t.first_view(time, dt, speed, heal.first(static_cast<std::size_t>(plan.steps)));
    first.ends = static_cast<std::size_t>(plan.steps) == heal.size();
    const double* reach = t.colliders.reach(time, time + plan.steps * dt, t.stream);
    const auto mark_near = [&] {
        launch_mark_near(t.settings, t.grid.view(), first.colliders, reach, first.collider_count,
                         t.grid.block_near(), t.grid.target_near(), t.stream);
    };
    const bool reads_before = on_grid && !plan.begins_sorted;
    if (reads_before) mark_near(), t.update_grid(first, 0, t.stream);
    if (!plan.begins_sorted) t.sort(plan.steps_ahead * dt);
    mark_near();
    t.grid.split_sources(first.colliders, t.stream);
    if (!on_grid) {
        t.add_phases(first);
        t.clock.mark("particles_to_grid", t.stream);
    }
    for (DevicePhase& phase : t.phases) phase.passing_was_read();
    t.put_steps(first, reads_before);
    check_cuda(cudaMemcpyAsync(t.host_slots, first.slots,
                               static_cast<std::size_t>(plan.steps) * sizeof(StepSlot),
                               cudaMemcpyDeviceToHost, t.stream),
               "a step");
    check_cuda(cudaStreamSynchronize(t.stream), "a step");
    t.clock.collect();
    t.added_with_dt = dt;
    return t.report(plan.steps);
}

// What the slots of a batch say.
BatchReport DeviceSolver::Parts::report(int steps) {
    const auto as_float = [](unsigned bits) {
        return static_cast<double>(std::bit_cast<float>(bits));
    };
    BatchReport report;
    for (int k = 0; k < steps && host_slots[k].state != step_skipped; ++k) {
        const StepSlot& slot = host_slots[k];
        ++report.taken;
        report.ended = slot.state == step_ends;
        const double moved = as_float(slot.move_bits);
        report.max_speed = std::sqrt(as_float(slot.speed_bits));
        report.max_move = std::max(report.max_move, moved);
        used = as_float(slot.used_bits);
        report.strains.push_back(std::sqrt(as_float(slot.strain_bits)));
        report.lost = report.lost || !(used <= 1.0) || !(moved <= 1.0);
        if (slot.bad != 0) {
            const std::uint64_t bad = ~slot.bad;
            report.bad_id = phases[bad >> 32].id_of(static_cast<unsigned>(bad), stream);
            break;
        }
    }
    return report;
}

RemovalReport DeviceSolver::remove_slivers() {
    Parts& t = *parts_;
    const StageTimer timer(t.edit_times, "remove_subgrid");
    t.edits.particles_moved();
    const RemovalReport report = t.edits.remove_slivers(t.phases, t.settings.dx, t.stream);
    if (report.removed > 0) t.begin_anew();
    return report;
}

ResampleReport DeviceSolver::resample(std::uint64_t seed, std::int64_t step,
                                      std::int64_t& next_id) {
    Parts& t = *parts_;
    const StageTimer timer(t.edit_times, "avoid_a_void");
    t.edits.particles_moved();
    const ResampleReport report =
        t.edits.resample(t.phases, t.settings.dx, seed, step, next_id, t.stream);
    if (!report.changed()) return report;
    for (std::size_t p = 0; p < t.phases.size(); ++p)
        refresh_stress(t.laws[static_cast<std::size_t>(t.materials[p])], t.phases[p], t.stream);
    t.begin_anew();
    return report;
}

std::size_t DeviceSolver::bytes() const {
    std::size_t sum = parts_->grid.bytes() + parts_->edits.bytes();
    for (const DevicePhase& phase : parts_->phases) sum += phase.bytes();
    return sum;
}

void DeviceSolver::measure(bool on) {
    parts_->measuring = on;
    parts_->clock.totals.clear();
}
std::vector<std::pair<std::string, double>> DeviceSolver::stages() const {
    auto all = parts_->clock.totals;
    for (const auto& stage : parts_->edit_times.stages()) all.push_back(stage);
    return all;
}

}  // namespace knead
