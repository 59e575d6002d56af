#include "knead/sim/mpm_on_cuda.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "knead/base/error.h"
#include "knead/cuda/gpu.h"
#include "knead/mpm/cuda/device_solver.h"
#include "knead/mpm/foam/schedule.h"
#include "knead/mpm/mpm_solver.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr std::int64_t most_steps = 128;  // of one batch

class MpmOnCuda : public Solver<float> {
public:
    explicit MpmOnCuda(const Model& model)
        : settings_(std::get<MpmSettings>(model.settings)),
          host_(settings_, model.materials, model.colliders, model.gravity),
          device_(host_.settings(), model.colliders, model.gravity, host_.laws()),
          seed_(model.seed) {
        device_.measure(true);
    }

    void prepare(State<float>& state) override {
        host_.prepare(state.phases, state.memory);
        on_device_ = false;
        on_host_ = true;
        strain_of_late_ = 1;
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
        if (state.particle_count() == 0) {  // all of it is yet to come, or gone
            taken = most;
            return {};
        }
        if (!on_device_) {
            if (state.memory.max_speed < 0) state.memory.max_speed = largest_speed(state);
            device_.upload(state.phases);
            on_device_ = true;
        }
        if (slivers_are_due(settings_, state.memory)) remove_slivers(state);
        most = std::min(
            {most, most_steps, steps_before_edits(settings_, state.memory, dt, strain_of_late_)});
        const std::vector<double> heal = healing(state.memory, dt, most);
        std::vector<double> strains;
        double time = state.time;
        BatchReport batch;
        for (taken = 0; taken < most && !batch.ended;) {
            batch = device_.advance(time, dt, state.memory.max_speed,
                                    std::span(heal).subspan(static_cast<std::size_t>(taken)));
            on_host_ = false;
            taken += batch.taken;
            strains.insert(strains.end(), batch.strains.begin(), batch.strains.end());
            for (int k = 0; k < batch.taken; ++k) time += dt;
            state.memory.max_speed = batch.max_speed;
            if (batch.bad_id >= 0)
                return {false, "grid_to_particles", "stress or velocity is not a number",
                        batch.bad_id};
            if (batch.lost)
                return {false, "grid_to_particles", "a particle moved further than its step allows",
                        -1};
        }
        if (count(state.memory, dt, strains)) resample(state, taken);
        return {};
    }

    void hold_belt(std::size_t c, bool held) override {
        host_.hold_belt(c, held);
        device_.hold_belt(c, held);
    }
    void fetch(State<float>& state) override {
        if (on_host_) return;
        device_.download(state.phases);
        host_.particles_changed();
        state.memory.drift = StepMemory{}.drift;
        strain_of_late_ = 1;
        on_host_ = true;
    }
    bool take_snapshot(State<float>& state) override {
        if (on_host_ || !device_.take_snapshot()) return false;
        state.memory.drift = StepMemory{}.drift;
        strain_of_late_ = 1;
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

    // How much each of the coming steps heals.
    std::vector<double> healing(StepMemory memory, double dt, std::int64_t steps) const {
        std::vector<double> list(static_cast<std::size_t>(steps), 0.0);
        for (double& due : list) due = count_to_healing(settings_, memory, dt);
        return list;
    }
    // Steps were taken: whether voids have to be filled.
    bool count(StepMemory& memory, double dt, const std::vector<double>& strains) {
        bool due = false;
        for (const double strain : strains) {
            count_to_healing(settings_, memory, dt);
            if (count_to_resampling(settings_, memory, dt, strain)) due = true;
        }
        strain_of_late_ = strains.back();
        return due;
    }

    void remove_slivers(State<float>& state) {
        const RemovalReport removed = device_.remove_slivers();
        removed.add_to(state.totals);
        if (removed.removed > 0) particles_were_edited(state);
    }
    void resample(State<float>& state, std::int64_t steps) {
        const ResampleReport report =
            device_.resample(seed_, state.step + steps - 1, state.next_id);
        report.add_to(state.totals);
        if (report.changed()) particles_were_edited(state);
    }
    // The stable step may be another one.
    void particles_were_edited(const State<float>& state) {
        on_host_ = false;
        host_.specific_volumes_changed(state.phases, device_.max_specific_volumes());
    }

    MpmSettings settings_;
    MpmSolver<float> host_;
    DeviceSolver device_;
    std::uint64_t seed_;
    double strain_of_late_ = 1;  // of the last step; 1: a resumed run knows no better
    bool on_device_ = false;     // the device's particles are the present ones
    bool on_host_ = true;        // and so are the state's
};

}  // namespace

template <>
std::unique_ptr<Solver<float>> make_cuda_solver(const Model& model) {
    const std::string why = why_no_gpu();
    if (!why.empty())
        throw InputError(Place{"--backend cuda"}, "there is no GPU to run on: " + why,
                         "run with --backend cpu");
    const auto thin = [](const BodyInfo& body, const Model& m) {
        return is_thin(m.materials[static_cast<std::size_t>(body.material)]);
    };
    for (const BodyInfo& body : model.bodies)
        if (thin(body, model))
            throw InputError(Place{"--backend cuda"},
                             "the GPU takes no sheets and curves yet: body " + body.name,
                             "run with --backend cpu");
    for (const Collider& c : model.colliders)
        if (c.animation)
            throw InputError(Place{"--backend cuda"},
                             "the GPU takes no animated colliders yet: collider " + c.name,
                             "run with --backend cpu");
    const MpmSettings& settings = std::get<MpmSettings>(model.settings);
    if (settings.kernel == 1)
        throw InputError(Place{"--backend cuda"}, "the GPU has no linear kernels",
                         "set solver.kernel=quadratic, or run with --backend cpu");
    if (settings.is_implicit())
        throw InputError(Place{"--backend cuda"}, "the implicit step runs on the CPU only",
                         "run with --backend cpu, or set solver.integrator=explicit");
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
