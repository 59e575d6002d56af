#include "workloads.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "block.h"
#include "knead/materials/presets.h"
#include "knead/mpm/mpm_solver.h"
#include "knead/parallel/exec.h"
#include "time_runner.h"

namespace knead::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class Runner {
public:
    Runner(const Workload& w, std::int64_t particles) : flip_(w.flip) {
        const Material material = *find_preset(w.material);
        const MpmSettings settings = settings_of(w);
        const Collider floor = bench_floor();
        solver_ = std::make_unique<MpmSolver<float>>(settings, std::vector{material},
                                                     std::vector{floor}, Vec3d{0, -9.81, 0});
        phases_.push_back(falling_block(particles, settings.dx, material.density));
        solver_->prepare(phases_, memory_);
        dt_ = settings.stability;
        for (const DtLimit& limit : solver_->dt_limits(phases_, memory_, 0))
            dt_ = std::min(dt_, limit.dt);
    }
    // Seconds for `steps` steps.
    double advance(int steps) {
        const auto start = Clock::now();
        for (int i = 0; i < steps; ++i, time_ += dt_) {
            const StepReport report =
                solver_->advance(phases_, memory_, time_, dt_, {1, i, next_id_, totals_});
            if (!report.ok) throw std::runtime_error("bench: " + report.what);
        }
        return seconds_since(start);
    }
    const Particles<float>& particles() const { return phases_[0].particles; }
    const std::vector<Phase<float>>& phases() const { return phases_; }
    std::vector<std::pair<std::string, double>> stages() const {
        return solver_->profile().stages();
    }
    // What a step must at least read and write of a particle: each column once in each of its two
    // passes.
    double least_bytes() const {
        const Particles<float>& p = particles();
        double bytes = 0;
        const auto add = [&bytes](const auto& column, int times) {
            using C = std::remove_cvref_t<decltype(column)>;
            if (column.present()) bytes += times * C::planes * double{sizeof(typename C::Scalar)};
        };
        add(p.x, 3), add(p.v, flip_ ? 3 : 2), add(p.mass, 1), add(p.volume, 1), add(p.C, 2);
        add(p.stress, 2);
        for_each_state_column([&](auto, const auto& column) { add(column, 2); }, p);
        return bytes;
    }

private:
    bool flip_;
    std::unique_ptr<MpmSolver<float>> solver_;
    std::vector<Phase<float>> phases_;
    StepMemory memory_;
    double time_ = 0, dt_ = 0;
    std::int64_t next_id_ = 0;
    std::map<std::string, double> totals_;
};

}  // namespace

MpmSettings settings_of(const Workload& w) {
    MpmSettings settings;
    settings.dx = 0.01;
    settings.kernel = w.kernel;
    settings.transfer = w.flip ? Transfer::flip : Transfer::apic;
    return settings;
}

const std::vector<Workload>& workloads() {
    static const std::vector<Workload> list{
        {"jelly", "fixed corotated, quadratic APIC", "jelly", 2, false, 6.0},
        {"sand", "Drucker-Prager, quadratic APIC", "sand", 2, false, 4.5},
        {"foam", "Herschel-Bulkley, cubic FLIP", "shaving-cream", 3, true, 3.0},
    };
    return list;
}

double copy_bandwidth(int threads) {
    set_thread_count(threads);
    const std::size_t n = 1 << 24;  // 64 MiB of floats, each way
    Array<float> a(n, 1.0f), b(n, 0.0f);
    double best = 0;
    for (int round = 0; round < 8; ++round) {
        const auto start = Clock::now();
        parallel_chunks(n, 1 << 18, [&](std::size_t begin, std::size_t end) {
            std::memcpy(b.data() + begin, a.data() + begin, (end - begin) * sizeof(float));
        });
        best = std::max(best, 2.0 * sizeof(float) * static_cast<double>(n) / seconds_since(start));
        std::swap(a, b);
    }
    return best;
}

std::vector<Timing> run_workload(const Workload& w, const std::vector<Machine>& machines,
                                 std::int64_t particles, int settle) {
    return time_runners([&] { return std::make_unique<Runner>(w, particles); }, w, machines,
                        settle);
}

}  // namespace knead::bench
