#include "implicit_cost.h"

#include <algorithm>

#include "knead/parallel/exec.h"
#include "knead/points/implicit/implicit_solver.h"
#include "point_run.h"
#include "workloads.h"

namespace knead::bench {

namespace {

constexpr double dt = 2e-3;       // the paper's [s]
constexpr double spacing = 0.02;  // of the method's working parameters [m]
constexpr int warm_up = 10, stretches = 5, steps = 4;

ImplicitSettings settings(Preconditioner preconditioner) {
    ImplicitSettings s;
    s.spacing = spacing;
    s.dt = 1.01 * dt;  // the run loop's question is for steps that are shorter
    s.preconditioner = preconditioner;
    return s;
}

Material solid(double young) {
    Material m;
    m.name = "solid";
    m.density = 1000;
    m.elastic.law = ElasticLaw::corotated_linear;
    set_young_poisson(m, young, 0.3);
    return m;
}

const char* name_of(Preconditioner p) {
    switch (p) {
        case Preconditioner::mass:
            return "plain";
        case Preconditioner::block_jacobi:
            return "block-jacobi";
        case Preconditioner::two_level:
            break;
    }
    return "two-level";
}

// Just above the ground, so that it lands while it warms up.
Phase<float> landing_block(std::int64_t particles) {
    Phase<float> phase = clay_block(particles, spacing);
    Particles<float>& p = phase.particles;
    double low = 1e30;
    for (std::size_t i = 0; i < p.size(); ++i) low = std::min(low, p.x.vec(i).y);
    for (std::size_t i = 0; i < p.size(); ++i) {
        p.x.set(i, p.x.vec(i) - Vec3d{0, low - 0.1 * spacing, 0});
        p.v.set(i, {0.0f, -1.0f, 0.0f});
    }
    return phase;
}

Scenery floor() {
    Scenery scenery;
    scenery.colliders.push_back(bench_floor());
    return scenery;
}

}  // namespace

ImplicitCost implicit_cost(int threads, std::int64_t particles, double young,
                           Preconditioner preconditioner) {
    set_thread_count(threads);
    PointRun run(ImplicitSolver<float>(settings(preconditioner), {solid(young)}), floor(),
                 landing_block(particles), dt);
    const auto n = static_cast<double>(run.particles().size());
    run.advance(warm_up);
    const auto before = run.profile().stages();
    const double iterations = run.total("cg_iterations");
    std::vector<double> seconds;
    double total = 0;
    for (int k = 0; k < stretches; ++k) total += seconds.emplace_back(run.advance(steps));
    std::nth_element(seconds.begin(), seconds.begin() + stretches / 2, seconds.end());

    ImplicitCost cost;
    cost.threads = threads;
    cost.particles = static_cast<std::int64_t>(n);
    cost.young = young;
    cost.preconditioner = name_of(preconditioner);
    cost.steps_rate = 1e-6 * n * steps / seconds[stretches / 2];
    const double taken = run.total("cg_iterations") - iterations;
    cost.iterations = taken / (stretches * steps);
    // two weights of 16 bits for 80 neighbours, groups of rows hold twice as many lanes, and each
    // pack's row named twice; vectors: six read and three written, matrices written and read
    cost.bytes = 2 * 80 * 2 * sizeof(std::uint16_t) + 2 * 80 / 8 * 2 * sizeof(std::uint32_t) +
                 (9 * 4 + 2 * 12) * sizeof(float);
    cost.bandwidth = copy_bandwidth(threads);
    cost.stages = run.profile().stages();
    for (std::size_t k = 0; k < cost.stages.size(); ++k) {
        if (k < before.size()) cost.stages[k].second -= before[k].second;
        if (cost.stages[k].first == "solve")
            cost.iterations_rate = 1e-6 * n * taken / cost.stages[k].second;
        cost.stages[k].second /= total;
    }
    return cost;
}

}  // namespace knead::bench
