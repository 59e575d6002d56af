// A block of clay that a point method steps, for its benchmarks.
#pragma once

#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "block.h"
#include "knead/base/random.h"
#include "knead/materials/parameters.h"
#include "knead/scenery/surroundings.h"

namespace knead::bench {

inline constexpr double point_spacing = 0.01;  // [m]

inline Material clay(double yield_stress, double creep_rate) {
    Material m;
    m.name = "clay";
    m.density = 1000;
    m.elastic.law = ElasticLaw::corotated_linear;
    set_young_poisson(m, 1e5, 0.3);
    m.flow.rule = FlowRule::creep;
    m.flow.yield_stress = yield_stress;
    m.flow.creep_rate = creep_rate;
    return m;
}

// Points a little away from a lattice, which would be a special case.
inline Phase<float> clay_block(std::int64_t particles, double spacing = point_spacing) {
    Phase<float> phase = falling_block(particles, 2 * spacing, 1000);
    auto& x = phase.particles.x;
    for (std::size_t i = 0; i < x.size(); ++i)
        for (int a = 0; a < 3; ++a)
            x.at(i, a) += 0.1 * spacing * (random_unit(1, i, static_cast<unsigned>(a)) - 0.5);
    return phase;
}

template <class Solver>
class PointRun {
public:
    PointRun(Solver solver, Scenery scenery, Phase<float> phase, double dt)
        : solver_(std::move(solver)), scenery_(std::move(scenery)), dt_(dt) {
        phases_.push_back(std::move(phase));
        solver_.prepare(phases_);
    }
    // Seconds for some steps, with the question that the run loop asks before each.
    double advance(int steps) {
        using Clock = std::chrono::steady_clock;
        const auto start = Clock::now();
        for (int k = 0; k < steps; ++k, ++step_, time_ += dt_) {
            for (const DtLimit& limit : solver_.dt_limits(phases_, memory_))
                if (!(limit.dt > dt_)) throw std::runtime_error("bench: " + limit.reason);
            Surroundings surroundings(scenery_, rigid_, time_, dt_);
            const StepReport report =
                solver_.advance(phases_, memory_, surroundings, dt_, {1, step_, next_id_, totals_});
            if (!report.ok) throw std::runtime_error("bench: " + report.what);
        }
        return std::chrono::duration<double>(Clock::now() - start).count();
    }
    const Particles<float>& particles() const { return phases_[0].particles; }
    const std::vector<Phase<float>>& phases() const { return phases_; }
    const Profile& profile() const { return solver_.profile(); }
    std::vector<std::pair<std::string, double>> stages() const {
        return solver_.profile().stages();
    }
    double total(const std::string& name) { return totals_[name]; }

private:
    Solver solver_;
    Scenery scenery_;
    std::vector<RigidState> rigid_;
    std::vector<Phase<float>> phases_;
    StepMemory memory_;
    double dt_, time_ = 0;
    std::int64_t step_ = 0, next_id_ = 1 << 30;
    std::map<std::string, double> totals_;
};

}  // namespace knead::bench
