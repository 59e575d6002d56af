#include "embedded_cost.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "block.h"
#include "knead/base/random.h"
#include "knead/materials/parameters.h"
#include "knead/parallel/exec.h"
#include "knead/points/embedded/embedded_solver.h"

namespace knead::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double spacing = 0.01;  // [m]
constexpr double dt = 4e-4;       // [s]
constexpr double stretching = 2;  // along x, and half of it inwards along y and z [1/s]
constexpr int warm_up = 10, stretches = 7, steps = 4;

Material clay() {
    Material m;
    m.name = "clay";
    m.density = 1000;
    m.elastic.law = ElasticLaw::corotated_linear;
    set_young_poisson(m, 1e5, 0.3);
    m.flow.rule = FlowRule::creep;
    m.flow.creep_rate = 0.1;
    return m;
}

Phase<float> drawn_block(std::int64_t particles) {
    Phase<float> phase = falling_block(particles, 2 * spacing, clay().density);
    Particles<float>& p = phase.particles;
    for (std::size_t i = 0; i < p.size(); ++i) {
        for (int a = 0; a < 3; ++a)
            p.x.at(i, a) += 0.1 * spacing * (random_unit(1, i, static_cast<unsigned>(a)) - 0.5);
        const Vec3d x = p.x.vec(i);
        p.v.set(i, static_cast<Vec3f>(stretching * Vec3d{x.x, -0.5 * x.y, -0.5 * x.z}));
    }
    return phase;
}

class Run {
public:
    explicit Run(std::int64_t particles) : solver_(EmbeddedSettings{}, {clay()}) {
        scenery_.gravity = {0, 0, 0};
        phases_.push_back(drawn_block(particles));
        solver_.prepare(phases_);
    }
    // Seconds for some steps, with the question that the run loop asks before each.
    double advance(int count) {
        const auto start = Clock::now();
        for (int k = 0; k < count; ++k, ++step_, time_ += dt) {
            for (const DtLimit& limit : solver_.dt_limits(phases_, memory_))
                if (!(limit.dt > dt)) throw std::runtime_error("bench: " + limit.reason);
            Surroundings surroundings(scenery_, rigid_, time_, dt);
            const StepReport report =
                solver_.advance(phases_, memory_, surroundings, dt, {1, step_, next_id_, totals_});
            if (!report.ok) throw std::runtime_error("bench: " + report.what);
        }
        return std::chrono::duration<double>(Clock::now() - start).count();
    }
    std::size_t size() const { return phases_[0].particles.size(); }
    const Profile& profile() const { return solver_.profile(); }
    double total(const std::string& name) { return totals_[name]; }

private:
    EmbeddedSolver<float> solver_;
    Scenery scenery_;
    std::vector<RigidState> rigid_;
    std::vector<Phase<float>> phases_;
    StepMemory memory_;
    double time_ = 0;
    std::int64_t step_ = 0, next_id_ = 1 << 30;
    std::map<std::string, double> totals_;
};

}  // namespace

double EmbeddedCost::share(const std::string& stage) const {
    for (const auto& [name, part] : stages)
        if (name == stage) return part;
    return 0;
}

EmbeddedCost embedded_cost(int threads, std::int64_t particles) {
    set_thread_count(threads);
    Run run(particles);
    const auto n = static_cast<double>(run.size());
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
