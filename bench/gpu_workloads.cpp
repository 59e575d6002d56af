#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "block.h"
#include "knead/materials/presets.h"
#include "knead/mpm/cuda/device_solver.h"
#include "knead/mpm/mpm_solver.h"
#include "time_runner.h"

namespace knead::bench {

namespace {

using Clock = std::chrono::steady_clock;

// What a step that goes from grid to particle to grid in one pass must at least move: position,
// mass, volume and the law's memory; FLIP keeps velocities besides.
double least_bytes_fused(const Particles<float>& p, bool flip) {
    double bytes = 0;
    const auto add = [&bytes](const auto& column, int times) {
        using C = std::remove_cvref_t<decltype(column)>;
        if (column.present()) bytes += times * C::planes * double{sizeof(typename C::Scalar)};
    };
    add(p.x, 2), add(p.mass, 1), add(p.volume, 1);
    for_each_state_column([&](auto, const auto& column) { add(column, 2); }, p);
    if (flip) add(p.v, 2);
    return bytes;
}

class GpuRunner {
public:
    GpuRunner(const Workload& w, std::int64_t particles) {
        const Material material = *find_preset(w.material);
        const MpmSettings settings = settings_of(w);
        const Collider floor = bench_floor();
        const Vec3d gravity{0, -9.81, 0};
        MpmSolver<float> host(settings, {material}, {floor}, gravity);
        std::vector<Phase<float>> phases;
        phases.push_back(falling_block(particles, settings.dx, material.density));
        StepMemory memory;
        host.prepare(phases, memory);
        dt_ = settings.stability;
        for (const DtLimit& limit : host.dt_limits(phases, memory, 0))
            dt_ = std::min(dt_, limit.dt);
        heal_every_ = settings.healing_interval;
        device_ =
            std::make_unique<DeviceSolver>(settings, std::vector{floor}, gravity, host.laws());
        device_->upload(phases);
        size_ = static_cast<std::int64_t>(phases[0].particles.size());
        bytes_ = least_bytes_fused(phases[0].particles, w.flip);
    }
    // Seconds for `steps` steps.
    double advance(int steps) {
        const auto start = Clock::now();
        for (int left = steps; left > 0;) {
            std::vector<double> heal(static_cast<std::size_t>(left), 0.0);
            for (std::size_t k = 0; k < heal.size(); ++k)
                if ((step_ + static_cast<std::int64_t>(k)) % heal_every_ == heal_every_ - 1)
                    heal[k] = heal_every_ * dt_;
            const BatchReport batch = device_->advance(time_, dt_, speed_, heal);
            if (batch.bad_id >= 0 || batch.lost || batch.taken == 0)
                throw std::runtime_error("bench: a step failed on the GPU");
            left -= batch.taken;
            step_ += batch.taken;
            time_ += batch.taken * dt_;
            speed_ = batch.max_speed;
        }
        return std::chrono::duration<double>(Clock::now() - start).count();
    }
    DeviceSolver& device() { return *device_; }
    std::int64_t size() const { return size_; }
    double bytes() const { return bytes_; }

private:
    std::unique_ptr<DeviceSolver> device_;
    double time_ = 0, dt_ = 0, speed_ = 1, bytes_ = 0;
    std::int64_t size_ = 0, step_ = 0;
    int heal_every_ = 10;
};

}  // namespace

const std::vector<Workload>& gpu_workloads() {
    static const std::vector<Workload> list{
        {"jelly", "fixed corotated, quadratic APIC", "jelly", 2, false, 0},
        {"sand", "Drucker-Prager, quadratic APIC", "sand", 2, false, 0},
        {"fluid", "weakly compressible, quadratic APIC", "water", 2, false, 0},
        {"foam", "Herschel-Bulkley with tearing, cubic FLIP", "shaving-cream", 3, true, 0},
    };
    return list;
}

GpuTiming run_on_gpu(const Workload& w, std::int64_t particles, int settle) {
    GpuRunner runner(w, particles);
    GpuTiming t;
    t.workload = w.name;
    t.particles = runner.size();
    t.bytes = runner.bytes();
    const auto milliseconds = [&](int stretches, int steps) {
        std::vector<double> times;
        for (int i = 0; i < stretches; ++i) times.push_back(1e3 * runner.advance(steps) / steps);
        return median(std::move(times));
    };
    runner.advance(8);
    t.first_ms = milliseconds(3, 40);
    runner.advance(std::max(1, settle - 128));
    t.developed_ms = milliseconds(5, 40);
    t.memory = static_cast<double>(runner.device().bytes());
    runner.device().measure(true);
    runner.advance(400);
    double total = 0;
    for (const auto& [stage, seconds] : runner.device().stages()) total += seconds;
    for (const auto& [stage, seconds] : runner.device().stages())
        t.stages.emplace_back(stage, seconds / total);
    return t;
}

}  // namespace knead::bench
