#include "knead/sim/mpm_on_cuda.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "knead/base/error.h"
#include "knead/cuda/gpu.h"
#include "knead/mpm/cuda/device_solver.h"
#include "knead/mpm/mpm_solver.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr std::int64_t most_steps = 128;          // of one batch
constexpr std::int64_t steps_between_edits = 50;  // where the scene names no interval

class MpmOnCuda : public Solver<float> {
public:
    explicit MpmOnCuda(const Model& model)
        : settings_(std::get<MpmSettings>(model.settings)),
          host_(settings_, model.materials, model.colliders, model.gravity),
          device_(settings_, model.colliders, model.gravity, host_.laws()),
          seed_(model.seed) {
        device_.measure(true);
    }

    void prepare(State<float>& state) override {
        host_.prepare(state.phases, state.memory);
        on_device_ = false;
        on_host_ = true;
    }
    std::vector<DtLimit> dt_limits(const State<float>& state) override {
        return host_.dt_limits(state.phases, state.memory, state.time);
    }
    StepReport advance(State<float>& state, double dt) override {
        std::int64_t taken = 0;
        return advance_some(state, dt, 1, taken);
    }

    StepReport advance_some(State<float>& state, double dt, std::int64_t most,
                            std::int64_t& taken) override {
        if (!on_device_) {
            if (state.memory.max_speed < 0) state.memory.max_speed = largest_speed(state);
            device_.upload(state.phases);
            on_device_ = true;
        }
        most = std::min({most, most_steps, steps_to_edit(state.memory, dt)});
        const std::vector<double> heal = healing(state.memory, dt, most);
        double time = state.time, strain = 0;
        BatchReport batch;
        for (taken = 0; taken < most && !batch.ended;) {
            batch = device_.advance(time, dt, state.memory.max_speed,
                                    std::span(heal).subspan(static_cast<std::size_t>(taken)));
            on_host_ = false;
            taken += batch.taken;
            strain += batch.strain;
            for (int k = 0; k < batch.taken; ++k) time += dt;
            state.memory.max_speed = batch.max_speed;
            if (batch.bad_id >= 0)
                return {false, "grid_to_particles", "stress or velocity is not a number",
                        batch.bad_id};
            if (batch.lost)
                return {false, "grid_to_particles", "a particle moved further than its step allows",
                        -1};
        }
        count_healing(state.memory, dt, taken);
        edit_particles(state, dt, taken, strain);
        return {};
    }

    void fetch(State<float>& state) override {
        if (on_host_) return;
        device_.download(state.phases);
        host_.particles_changed();
        state.memory.drift = StepMemory{}.drift;
        on_host_ = true;
    }
    bool take_snapshot(State<float>& state) override {
        if (on_host_ || !device_.take_snapshot()) return false;
        if (edits_particles())
            host_.specific_volumes_changed(state.phases, device_.max_specific_volumes());
        state.memory.drift = StepMemory{}.drift;
        return true;
    }
    void read_snapshot(const State<float>& state, State<float>& to) override {
        device_.read_snapshot(state.phases, to.phases);
    }
    double affine_inertia() const override { return settings_.affine_inertia(); }
    double elastic_energy(const State<float>& state) const override {
        return host_.elastic_energy(state.phases);
    }
    std::vector<std::pair<std::string, double>> statistics(
        const State<float>& state) const override {
        return host_.statistics(state.phases, state.totals);
    }
    std::vector<std::pair<std::string, double>> timings() const override {
        auto all = device_.stages();
        for (const auto& stage : host_.profile().stages()) all.push_back(stage);
        return all;
    }
    std::size_t workspace_bytes() const override { return device_.bytes(); }

private:
    static double largest_speed(const State<float>& state) {
        double largest = 0;
        for (const auto& phase : state.phases)
            largest = std::max(largest,
                               reduce(
                                   phase.particles.size(), 0.0,
                                   [&](std::size_t i) {
                                       return static_cast<double>(length(phase.particles.v.vec(i)));
                                   },
                                   [](double a, double b) { return std::max(a, b); }));
        return largest;
    }

    // Steps until particles may have to be removed or added.
    std::int64_t steps_to_edit(const StepMemory& memory, double dt) const {
        if (!edits_particles()) return most_steps;
        double steps = static_cast<double>(steps_between_edits - memory.resampling_steps);
        if (settings_.resampling && settings_.resampling_interval > 0)
            steps = std::ceil((settings_.resampling_interval - memory.resampling_due) / dt - 1e-9);
        // Once enough time has passed, strain is looked at every so often.
        if (steps < 1) steps = 20;
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(steps), 1, most_steps);
    }

    // Whether the least time between two edits has passed after this many more steps.
    bool is_due(const StepMemory& memory, double dt, std::int64_t steps) const {
        if (settings_.resampling && settings_.resampling_interval > 0)
            return memory.resampling_due + (static_cast<double>(steps) + 1e-9) * dt >=
                   settings_.resampling_interval;
        return memory.resampling_steps + steps >= steps_between_edits;
    }

    bool heals() const { return settings_.tearing && settings_.healing; }
    // How much each of the coming steps heals.
    std::vector<double> healing(const StepMemory& memory, double dt, std::int64_t steps) const {
        std::vector<double> list(static_cast<std::size_t>(steps), 0.0);
        StepMemory m = memory;
        for (double& due : list) {
            if (!heals()) break;
            m.healing_due += dt;
            if (++m.healing_steps < settings_.healing_interval) continue;
            due = m.healing_due;
            m.healing_due = 0, m.healing_steps = 0;
        }
        return list;
    }
    void count_healing(StepMemory& memory, double dt, std::int64_t steps) const {
        if (!heals()) return;
        for (std::int64_t k = 0; k < steps; ++k) {
            memory.healing_due += dt;
            if (++memory.healing_steps < settings_.healing_interval) continue;
            memory.healing_due = 0, memory.healing_steps = 0;
        }
    }

    // Removal and resampling, once matter has strained enough.
    void edit_particles(State<float>& state, double dt, std::int64_t steps, double strain) {
        if (!edits_particles()) return;
        StepMemory& memory = state.memory;
        const bool due = is_due(memory, dt, steps);
        memory.resampling_strain += strain;
        memory.resampling_due += static_cast<double>(steps) * dt;
        memory.resampling_steps += steps;
        if (!due || memory.resampling_strain < settings_.resampling_strain) return;
        memory.resampling_due = memory.resampling_strain = 0;
        memory.resampling_steps = 0;
        if (settings_.removes_slivers()) device_.remove_slivers().add_to(state.totals);
        if (settings_.resampling)
            device_.resample(seed_, state.step + steps - 1, state.next_id).add_to(state.totals);
    }
    bool edits_particles() const { return settings_.resampling || settings_.removes_slivers(); }

    MpmSettings settings_;
    MpmSolver<float> host_;
    DeviceSolver device_;
    std::uint64_t seed_;
    bool on_device_ = false;  // the device's particles are the present ones
    bool on_host_ = true;     // and so are the state's
};

}  // namespace

template <>
std::unique_ptr<Solver<float>> make_cuda_solver(const Model& model) {
    const std::string why = why_no_gpu();
    if (!why.empty())
        throw InputError(Place{"--backend cuda"}, "there is no GPU to run on: " + why,
                         "run with --backend cpu");
    if (!model.grips.empty())
        throw InputError(Place{"--backend cuda"}, "the GPU takes no grips yet",
                         "run with --backend cpu, or leave out the grips");
    return std::make_unique<MpmOnCuda>(model);
}

template <>
std::unique_ptr<Solver<double>> make_cuda_solver(const Model&) {
    throw InputError(Place{"--backend cuda"}, "the GPU runs in single precision",
                     "set precision = \"single\", or run with --backend cpu");
}

}  // namespace knead
