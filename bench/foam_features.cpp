#include "foam_features.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "block.h"
#include "knead/base/random.h"
#include "knead/materials/presets.h"
#include "knead/mpm/mpm_solver.h"
#include "knead/parallel/exec.h"

namespace knead::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double dollop = 184.5e-6;      // volume [m^3]
constexpr double paper_interval = 5e-4;  // between resamplings [s], the most often
constexpr double strain_rate = 50;       // [1/s]
constexpr double torn_band = 0.02;       // of the height
constexpr std::uint64_t place = 7;       // what random numbers are for

MpmSettings settings_for(std::int64_t particles, bool features) {
    MpmSettings s;
    s.dx = 2 * std::cbrt(dollop / static_cast<double>(particles));
    s.kernel = 3;
    s.transfer = Transfer::flip;
    s.flip_dt = 1e-5;
    s.tearing = s.healing = s.remove_subgrid = s.resampling = features;
    s.resampling_interval = paper_interval;
    s.resampling_strain = 0;  // however little it has strained
    return s;
}

class Foam {
public:
    Foam(std::int64_t particles, bool features)
        : settings_(settings_for(particles, features)),
          solver_(settings_, {*find_preset("shaving-cream")}, {}, {0, -9.81, 0}) {
        phases_.push_back(falling_block(particles, settings_.dx, 77.7));
        next_id_ = static_cast<std::int64_t>(phases_[0].particles.size());
        draw_out();
        solver_.prepare(phases_, memory_);
        if (features) tear();
        for (const DtLimit& limit : solver_.dt_limits(phases_, memory_, 0))
            dt_ = std::min(dt_, limit.dt);
    }
    // Seconds for `steps` steps.
    double advance(int steps) {
        const auto start = Clock::now();
        for (int i = 0; i < steps; ++i, time_ += dt_) {
            const StepReport report =
                solver_.advance(phases_, memory_, time_, dt_, {1, step_++, next_id_, totals_});
            if (!report.ok) throw std::runtime_error("bench: " + report.what);
        }
        return std::chrono::duration<double>(Clock::now() - start).count();
    }
    double dt() const { return dt_; }
    const Particles<float>& particles() const { return phases_[0].particles; }
    const Profile& profile() const { return solver_.profile(); }
    std::int64_t total(const char* name) { return static_cast<std::int64_t>(totals_[name]); }

private:
    // Off the lattice by up to a fifth of the spacing, and stretching upwards.
    void draw_out() {
        Particles<float>& p = phases_[0].particles;
        const double middle = 0.5 * std::cbrt(dollop);
        for (std::size_t i = 0; i < p.size(); ++i) {
            Vec3d x = p.x.vec(i);
            for (int a = 0; a < 3; ++a)
                x[a] += 0.2 * settings_.dx *
                        (random_unit(place, i, static_cast<std::uint64_t>(a)) - 0.5);
            p.x.set(i, x);
            const Vec3d v = strain_rate * (x - splat(middle)) * Vec3d{-0.5, 1, -0.5};
            p.v.set(i, static_cast<Vec3f>(v));
        }
    }
    // A band across the middle has been stretched past the threshold.
    void tear() {
        Particles<float>& p = phases_[0].particles;
        const double height = std::cbrt(dollop), stretch = 20;
        for (std::size_t i = 0; i < p.size(); ++i)
            if (std::abs(p.x.at(i, 1) / height - 0.5) < torn_band / 2)
                p.F.set(i, diagonal(static_cast<Vec3f>(
                               Vec3d{1 / std::sqrt(stretch), stretch, 1 / std::sqrt(stretch)})));
    }

    MpmSettings settings_;
    MpmSolver<float> solver_;
    std::vector<Phase<float>> phases_;
    StepMemory memory_;
    double time_ = 0, dt_ = 1;
    std::int64_t step_ = 0, next_id_ = 0;
    std::map<std::string, double> totals_;
};

}  // namespace

double FeatureCost::steps_between(double strain_rate) const {
    const double enough = MpmSettings{}.resampling_strain / strain_rate;
    return std::ceil(std::max(paper_interval, enough) / dt);
}

// Steps with and without the features take turns, so that other work on the machine slows both.
FeatureCost foam_features(int threads, std::int64_t particles) {
    set_thread_count(threads);
    Foam foam(particles, true), plain(particles, false);
    FeatureCost cost;
    cost.threads = threads;
    cost.dt = foam.dt();
    const int steps = static_cast<int>(std::ceil(paper_interval / cost.dt));
    foam.advance(steps);  // the first resampling settles the particles
    plain.advance(2);
    const auto before = foam.profile().stages();
    double with = 0, without = 0;
    for (int i = 0; i < steps; ++i) {
        with += foam.advance(1);
        without += plain.advance(1);
    }
    const auto after = foam.profile().stages();
    for (std::size_t i = 0; i < after.size(); ++i) {
        const double spent = after[i].second - before[i].second;
        cost.stages.emplace_back(after[i].first, spent / with);
        if (after[i].first == "avoid_a_void") cost.resampling = spent;
    }
    const auto& p = foam.particles();
    cost.particles = static_cast<std::int64_t>(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) cost.torn += p.weak.at(i) > 0 ? 1 : 0;
    cost.inserted = foam.total("inserted");
    cost.removed = foam.total("removed");
    cost.torn_step = (with - cost.resampling) / steps;
    // for as many particles as there are with resampling
    cost.plain = without / steps * static_cast<double>(p.size()) /
                 static_cast<double>(plain.particles().size());
    return cost;
}

}  // namespace knead::bench
