#include "point_workloads.h"

#include "knead/parallel/exec.h"
#include "knead/points/incremental/incremental_solver.h"
#include "point_run.h"
#include "time_runner.h"

namespace knead::bench {

namespace {

constexpr double dt = 1e-4;  // the paper's [s]

IncrementalSettings settings() {
    IncrementalSettings s;
    s.spacing = point_spacing;
    s.pressure = 5e4;
    s.viscosity = 5;
    s.force_by_fit = 0;
    return s;
}

Scenery on_the_floor() {
    Scenery scenery;
    scenery.colliders.push_back(bench_floor());
    return scenery;
}

class Runner : public PointRun<IncrementalSolver<float>> {
public:
    explicit Runner(std::int64_t particles)
        : PointRun(IncrementalSolver<float>(settings(), {clay(1000, 0.01)}), on_the_floor(),
                   clay_block(particles), dt) {}
    // Positions, velocities and the law's memory once each way, and the list of 30 neighbours,
    // written once and read three times.
    double least_bytes() const { return 2 * (3 * 8 + 3 * 4 + 9 * 4 + 2 * 4) + 2 * 4 + 4 * 30 * 4; }
};

}  // namespace

const std::vector<Workload>& point_workloads() {
    static const std::vector<Workload> list{
        {"points", "incremental, 30 neighbours, creep", "", 0, false, 1.2}};
    return list;
}

std::vector<Timing> run_point_workload(const Workload& w, const std::vector<Machine>& machines,
                                       std::int64_t particles, int settle) {
    return time_runners([&] { return std::make_unique<Runner>(particles); }, w, machines, settle);
}

}  // namespace knead::bench
