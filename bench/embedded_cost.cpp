#include "embedded_cost.h"

#include <algorithm>

#include "knead/parallel/exec.h"
#include "knead/points/embedded/embedded_solver.h"
#include "point_run.h"

namespace knead::bench {

namespace {

constexpr double dt = 4e-4;       // [s]
constexpr double stretching = 2;  // along x, and half of it inwards along y and z [1/s]
constexpr int warm_up = 10, stretches = 7, steps = 4;

Phase<float> drawn_block(std::int64_t particles) {
    Phase<float> phase = clay_block(particles);
    Particles<float>& p = phase.particles;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Vec3d x = p.x.vec(i);
        p.v.set(i, static_cast<Vec3f>(stretching * Vec3d{x.x, -0.5 * x.y, -0.5 * x.z}));
    }
    return phase;
}

EmbeddedSettings settings() {
    EmbeddedSettings s;
    s.viscosity = 20;
    return s;
}

Scenery empty_space() {
    Scenery scenery;
    scenery.gravity = {0, 0, 0};
    return scenery;
}

}  // namespace

double EmbeddedCost::share(const std::string& stage) const {
    for (const auto& [name, part] : stages)
        if (name == stage) return part;
    return 0;
}

EmbeddedCost embedded_cost(int threads, std::int64_t particles) {
    set_thread_count(threads);
    PointRun run(EmbeddedSolver<float>(settings(), {clay(0, 0.1)}), empty_space(),
                 drawn_block(particles), dt);
    const auto n = static_cast<double>(run.particles().size());
    run.advance(warm_up);
    const auto before = run.profile().stages();
    const double iterations = run.total("embedding_iterations"), links = run.total("links_changed");
    std::vector<double> seconds;
    double total = 0;
    for (int k = 0; k < stretches; ++k) total += seconds.emplace_back(run.advance(steps));
    std::nth_element(seconds.begin(), seconds.begin() + stretches / 2, seconds.end());

    EmbeddedCost cost;
    cost.threads = threads;
    cost.particles = static_cast<std::int64_t>(n);
    cost.microseconds = 1e6 * seconds[stretches / 2] / (n * steps);
    cost.iterations = (run.total("embedding_iterations") - iterations) / (stretches * steps);
    cost.links_changed = (run.total("links_changed") - links) / (n * stretches * steps);
    cost.stages = run.profile().stages();
    double named = 0;
    for (std::size_t k = 0; k < cost.stages.size(); ++k) {
        if (k < before.size()) cost.stages[k].second -= before[k].second;
        named += cost.stages[k].second /= total;
    }
    cost.stages.emplace_back("step limit", 1 - named);
    return cost;
}

}  // namespace knead::bench
