#include "knead/scene/rehearsal.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "knead/base/error.h"
#include "knead/sim/make_solver.h"
#include "knead/sim/runner.h"

namespace knead {

namespace {

constexpr double beginning = 0.3;              // as a share of the time for the whole
constexpr double coarsest = 4, finest = 1.25;  // times the dx

// One step of a rehearsal.
struct Step {
    double time;     // at its end [s]
    double seconds;  // it took
    double steps;    // of the scene itself in its place
};

struct Play {
    std::vector<Step> steps;
    double reached = 0;         // [s]
    double spent = 0;           // of wall time [s]
    std::size_t particles = 0;  // at its end
    bool complete = false;
};

// How many times longer limits of the coarse scene are than those of the scene itself.
class Growth {
public:
    Growth() = default;  // of the scene itself
    Growth(double coarser, const std::vector<DtLimit>& fine, const std::vector<DtLimit>& coarse)
        : coarser_(coarser) {
        for (const DtLimit& a : fine)
            for (const DtLimit& b : coarse)
                if (a.reason == b.reason && a.dt > 0 && b.dt > 0) known_[a.reason] = b.dt / a.dt;
    }
    // By what both are at the start, but for speeds, which change.
    double operator()(const std::string& reason) const {
        if (reason.starts_with("speed of") || reason.starts_with("fastest")) return coarser_;
        const auto it = known_.find(reason);
        return it != known_.end() ? it->second : coarser_;
    }

private:
    double coarser_ = 1;
    std::map<std::string, double> known_;
};

template <class Real>
std::vector<DtLimit> first_limits(const Built<Real>& built) {
    State<Real> state = built.state;
    return preflight(built.model, state, *make_solver<Real>(built.model, Backend::cpu)).limits;
}

// Steps of the scene itself a second, by the limits of a coarse one.
template <class Real>
double rate(const Model& model, const State<Real>& state, Solver<Real>& solver,
            const Growth& growth) {
    double least = 1 / model.time.frame_rate;
    for (const DtLimit& limit : sorted_limits(model, state, solver))
        least = std::min(least, limit.dt / growth(limit.reason));
    return 1 / least;
}

// Takes steps until the scene or the time is over. A run that fails ends there.
template <class Real>
Play play(Built<Real> built, const Growth& growth, double seconds) {
    const auto solver = make_solver<Real>(built.model, Backend::cpu);
    const RunFolder nowhere("");
    const RunOptions options{built.model.time.frames};
    RunObserver observer;
    Play out;
    Runner<Real> runner(built.model, std::move(built.state), *solver, nowhere, options, observer);
    const State<Real>& state = runner.state();
    try {
        runner.begin();
        double frame_steps = 0;
        while (state.frame < options.frames && (out.spent < seconds || out.steps.size() < 3)) {
            const double steps_a_second = rate(built.model, state, *solver, growth);
            const Stopwatch watch;
            const bool ended = runner.advance();
            out.steps.push_back({state.time, watch.seconds(), runner.last_dt() * steps_a_second});
            out.spent += out.steps.back().seconds;
            // Frames end exactly, so that their last steps are shorter.
            frame_steps += out.steps.back().steps;
            if (!ended) continue;
            out.steps.back().steps += std::ceil(frame_steps - 1e-6) - frame_steps;
            frame_steps = 0;
        }
        out.complete = state.frame >= options.frames;
    } catch (const RunError&) {  // the run will say why
    }
    out.reached = state.time;
    out.particles = state.particle_count();
    if (out.steps.size() > 1) out.steps[0].seconds = out.steps[1].seconds;  // it makes the scratch
    return out;
}

// The scene with all that follows from dx so many times coarser.
Scene coarse(Scene scene, double coarser) {
    scene.solver.dx *= coarser;
    for (BodySpec& body : scene.bodies) {
        if (body.spacing) *body.spacing *= coarser;
        if (body.refine) body.refine->spacing *= coarser;
        if (body.thin && body.thin->edge) *body.thin->edge *= coarser;
    }
    return scene;
}

template <class Real>
std::optional<Play> play_coarse(const Scene& scene, const std::vector<DtLimit>& limits,
                                double coarser, double seconds) {
    try {
        Built<Real> built = build_model<Real>(coarse(scene, coarser));
        const Growth growth(coarser, limits, first_limits(built));
        Play p = play(std::move(built), growth, seconds);
        if (p.steps.size() >= 4) return p;
    } catch (const InputError&) {  // such as a body that is too small for a particle
    }
    return std::nullopt;
}

struct Sum {
    double steps = 0, seconds = 0;
};

// Over the steps that end after `from` and until `to`, seconds as the scene itself would take at
// the pace of its coarse steps.
Sum sum(const Play& p, double from, double to) {
    Sum s;
    for (const Step& step : p.steps)
        if (step.time > from && step.time <= to)
            s.steps += step.steps, s.seconds += step.seconds * step.steps;
    return s;
}

// What is missing at the end is taken as the last quarter of what is there.
Sum sum_of_all(const Play& p, double end) {
    Sum s = sum(p, -1, end + 1);
    if (p.complete || !(p.reached > 0)) return s;
    const Sum last = sum(p, 0.75 * p.reached, end + 1);
    const double more = (end - p.reached) / (0.25 * p.reached);
    return {s.steps + more * last.steps, s.seconds + more * last.seconds};
}

// How many times longer a step of the scene itself takes, by the time that both have played.
double dearer(const Play& fine, const Play& coarse, double coarser) {
    const std::size_t few = std::min<std::size_t>(8, coarse.steps.size());
    const double to = std::max(fine.reached, coarse.steps[few - 1].time);
    const Sum mine = sum(fine, -1, to), its = sum(coarse, -1, to);
    if (fine.particles == 0 || !(its.seconds > 0)) return coarser * coarser * coarser;
    return (mine.seconds / mine.steps) / (its.seconds / its.steps);
}

struct Coarse {
    double coarser;
    Play play;
};

// The whole, as fine as there is time for; none where the scene cannot be built coarser.
template <class Real>
std::optional<Coarse> play_whole(const Scene& scene, const std::vector<DtLimit>& limits,
                                 double whole) {
    std::optional<Coarse> best;
    for (double coarser = coarsest; !best && coarser > finest; coarser /= 1.5)
        if (std::optional<Play> p = play_coarse<Real>(scene, limits, coarser, whole))
            best = Coarse{coarser, std::move(*p)};
    if (!best || !best->play.complete) return best;
    // Work grows with the fourth power of resolution.
    const double affordable =
        std::max(finest, best->coarser * std::pow(best->play.spent / whole, 0.25));
    if (affordable < 0.8 * best->coarser)
        if (std::optional<Play> p = play_coarse<Real>(scene, limits, affordable, 1.5 * whole))
            if (p->complete) best = Coarse{affordable, std::move(*p)};
    return best;
}

}  // namespace

template <class Real>
Rehearsal rehearse(const Scene& scene, Built<Real> built, double seconds) {
    const double end = built.model.time.frames / built.model.time.frame_rate;
    const std::vector<DtLimit> limits = first_limits(built);
    const Play fine = play(std::move(built), Growth(), beginning * seconds);
    if (fine.complete) return {static_cast<double>(fine.steps.size()), fine.spent, 1, 1};
    const std::optional<Coarse> c = play_whole<Real>(scene, limits, seconds);
    if (!c) {
        const Sum all = sum_of_all(fine, end);
        return {all.steps, all.seconds, 1, fine.reached / end};
    }
    const Sum all = sum_of_all(c->play, end);
    return {all.steps, all.seconds * dearer(fine, c->play, c->coarser), c->coarser,
            std::min(1.0, c->play.reached / end)};
}

template Rehearsal rehearse(const Scene&, Built<float>, double);
template Rehearsal rehearse(const Scene&, Built<double>, double);

}  // namespace knead
