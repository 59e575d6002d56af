#include "point_workloads.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "block.h"
#include "knead/geometry/sdf_build.h"
#include "knead/materials/parameters.h"
#include "knead/parallel/exec.h"
#include "knead/points/incremental/incremental_solver.h"
#include "time_runner.h"

namespace knead::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double spacing = 0.01;  // [m]
constexpr double dt = 1e-4;       // the paper's [s]

Material clay() {
    Material m;
    m.name = "clay";
    m.elastic.law = ElasticLaw::corotated_linear;
    set_young_poisson(m, 1e5, 0.3);
    m.flow.rule = FlowRule::creep;
    m.flow.yield_stress = 1000;
    m.flow.creep_rate = 0.01;
    return m;
}

IncrementalSettings settings() {
    IncrementalSettings s;
    s.spacing = spacing;
    s.pressure = 5e4;
    s.viscosity = 5;
    return s;
}

class PointRunner {
public:
    explicit PointRunner(std::int64_t particles) : solver_(settings(), {clay()}) {
        Collider floor;
        floor.name = "floor";
        floor.shape = sdf::plane({0, 0, 0}, {0, 1, 0});
        floor.friction = 0.5;
        scenery_.colliders.push_back(floor);
        phases_.push_back(falling_block(particles, 2 * spacing, clay().density));
        auto& x = phases_[0].particles.x;
        for (std::size_t i = 0; i < x.size(); ++i)
            for (int a = 0; a < 3; ++a)
                x.at(i, a) += 0.1 * spacing * (random_unit(1, i, static_cast<unsigned>(a)) - 0.5);
        solver_.prepare(phases_);
    }
    // Seconds for `steps` steps.
    double advance(int steps) {
        const auto start = Clock::now();
        for (int i = 0; i < steps; ++i, time_ += dt) {
            Surroundings surroundings(scenery_, rigid_, time_, dt);
            const StepReport report =
                solver_.advance(phases_, memory_, surroundings, dt, {1, i, next_id_, totals_});
            if (!report.ok) throw std::runtime_error("bench: " + report.what);
        }
        return std::chrono::duration<double>(Clock::now() - start).count();
    }
    const Particles<float>& particles() const { return phases_[0].particles; }
    const Profile& profile() const { return solver_.profile(); }

private:
    IncrementalSolver<float> solver_;
    Scenery scenery_;
    std::vector<RigidState> rigid_;
    std::vector<Phase<float>> phases_;
    StepMemory memory_;
    double time_ = 0;
    std::int64_t next_id_ = 0;
    std::map<std::string, double> totals_;
};

// Positions, velocities and the law's memory once each way, and the list of 30 neighbours, written
// once and read three times.
constexpr double least_bytes = 2 * (3 * 8 + 3 * 4 + 9 * 4 + 2 * 4) + 2 * 4 + 4 * 30 * 4;

}  // namespace

const std::vector<Workload>& point_workloads() {
    static const std::vector<Workload> list{
        {"points", "incremental, 30 neighbours, creep", "", 0, false, 1.2}};
    return list;
}

Timing run_point_workload(const Workload& w, int threads, std::int64_t particles, int settle,
                          double bandwidth) {
    set_thread_count(threads);
    PointRunner runner(particles);
    return time_runner(runner, w, threads, settle, least_bytes, bandwidth);
}

}  // namespace knead::bench
