#include "knead/points/embedded/embedded_solver.h"

#include <cmath>
#include <limits>

#include "knead/parallel/exec.h"
#include "knead/points/embedded/contact.h"
#include "knead/points/embedded/resample.h"
#include "knead/points/embedded/start.h"

namespace knead {

template <class Real>
EmbeddedSolver<Real>::EmbeddedSolver(const EmbeddedSettings& settings,
                                     const std::vector<Material>& materials)
    : settings_(settings), materials_(materials) {
    for (const Material& m : materials) laws_.push_back(make_stretch_law<Real>(m));
}

template <class Real>
void EmbeddedSolver<Real>::prepare(std::vector<Phase<Real>>& phases) {
    work_.clear();
    work_.resize(phases.size());
    for (std::size_t k = 0; k < phases.size(); ++k)
        start_bodies(phases[k], law(phases[k]), settings_, work_[k]);
}

// One step, in the order of the paper's algorithm.
template <class Real>
StepReport EmbeddedSolver<Real>::advance(std::vector<Phase<Real>>& phases, StepMemory& memory,
                                         Surroundings& surroundings, double dt,
                                         const StepContext& context) {
    std::vector<std::size_t> flowing(phases.size());
    for (std::size_t k = 0; k < phases.size(); ++k)
        flowing[k] = compute_forces(phases[k], work_[k], dt);
    if (settings_.contact) {
        StageTimer timer(profile_, "contact forces");
        contact_forces(phases, laws_, settings_.contact_friction, dt, work_);
    }
    for (std::size_t k = 0; k < phases.size(); ++k) {
        StageTimer timer(profile_, "kick");
        context.totals["viscous_iterations"] +=
            kick(phases[k], settings_.integrator,
                 {viscosity_of(phases[k]), settings_.viscosity_form}, surroundings,
                 memory.previous_dt, dt, work_[k])
                .iterations;
    }
    {
        StageTimer timer(profile_, "collide");
        surroundings.hold(phases);
        for (auto& phase : phases) drift(phase, dt);
        surroundings.collide(phases);
    }
    if (settings_.plastic_offsets)
        for (std::size_t k = 0; k < phases.size(); ++k)
            if (flowing[k] > 0) renew_neighbourhoods(phases[k], work_[k], surroundings, context);
    memory.previous_dt = dt;
    return check(phases, dt);
}

template <class Real>
double EmbeddedSolver<Real>::viscosity_of(const Phase<Real>& phase) const {
    if (settings_.viscosity >= 0) return settings_.viscosity;
    return law(phase).damping(law(phase).flow ? 0.5 : 0.1, settings_.spacing);
}

template <class Real>
std::size_t EmbeddedSolver<Real>::compute_forces(Phase<Real>& phase, EmbeddedWorkspace<Real>& work,
                                                 double dt) {
    if (work.links_changed) {
        StageTimer timer(profile_, "link graph");
        work.graph.build(phase.links);
        work.links_changed = false;
    }
    if (work.rest_changed) {
        StageTimer timer(profile_, "compute basis");
        compute_basis(phase, law(phase), settings_.volume, work);
        work.rest_changed = false;
        work.viscosity_changed = true;
    }
    {
        StageTimer timer(profile_, "deformation gradient");
        deformation_gradient(phase, work);
    }
    std::size_t flowing = 0;
    {
        StageTimer timer(profile_, "plastic factor");
        flowing = plastic_factor(phase, law(phase), settings_, static_cast<Real>(dt), work);
    }
    StageTimer timer(profile_, "elastic forces");
    elastic_forces(phase, work);
    return flowing;
}

// Flow into the rest vectors, particles into embedded space, neighbours from there.
template <class Real>
void EmbeddedSolver<Real>::renew_neighbourhoods(Phase<Real>& phase, EmbeddedWorkspace<Real>& work,
                                                const Surroundings& surroundings,
                                                const StepContext& context) {
    {
        StageTimer timer(profile_, "apply plastic offsets");
        apply_plastic_offsets(phase, settings_.settling, work);
        work.rest_changed = true;
    }
    if (settings_.embedding != Embedding::none) {
        StageTimer timer(profile_, "embed");
        context.totals["embedding_iterations"] += embed(phase, settings_, work).iterations;
        context.totals["embeddings"] += 1;
    }
    if (settings_.resampling) {
        StageTimer timer(profile_, "resample");
        const ResampleCount count =
            resample(phase, settings_, surroundings.colliders(), context.next_id, work);
        context.totals["split"] += static_cast<double>(count.split);
        context.totals["merged"] += static_cast<double>(count.merged);
    }
    if (settings_.neighbour_updates) {
        StageTimer timer(profile_, "update neighbours");
        context.totals["links_changed"] +=
            static_cast<double>(update_neighbours(phase, settings_, work));
    }
}

// The longest step in which no particle crosses its whole neighbourhood; check() refuses longer
// ones.
template <class Real>
static double crossing_time(const Particles<Real>& p) {
    constexpr double safety = 0.95;
    return reduce(
        p.size(), std::numeric_limits<double>::infinity(),
        [&](std::size_t i) {
            const auto speed = static_cast<double>(length(p.v.vec(i)));
            return speed > 0 ? safety * static_cast<double>(p.support.at(i)) / speed
                             : std::numeric_limits<double>::infinity();
        },
        [](double a, double b) { return std::min(a, b); });
}

// The elastic wave may not cross more than the least spacing in rest space.
template <class Real>
std::vector<DtLimit> EmbeddedSolver<Real>::dt_limits(const std::vector<Phase<Real>>& phases,
                                                     const StepMemory&) {
    std::vector<DtLimit> limits;
    for (const Phase<Real>& phase : phases) {
        const double spacing = least_spacing(phase);
        if (!std::isfinite(spacing)) continue;
        limits.push_back(
            {"stiffness of " + materials_[static_cast<std::size_t>(phase.material)].name,
             settings_.stability * spacing / law(phase).wave_speed});
        const double crossing = crossing_time(phase.particles);
        if (std::isfinite(crossing)) limits.push_back({"fastest particle", crossing});
    }
    return limits;
}

template <class Real>
double EmbeddedSolver<Real>::elastic_energy(const std::vector<Phase<Real>>& phases) const {
    double sum = 0;
    for (const Phase<Real>& phase : phases) {
        EmbeddedWorkspace<Real> work;
        sum += stored_energy(phase, law(phase), settings_, work);
    }
    return sum;
}

template <class Real>
std::vector<std::pair<std::string, double>> EmbeddedSolver<Real>::statistics(
    const std::vector<Phase<Real>>& phases, const std::map<std::string, double>& totals) const {
    double flowing = 0;
    for (const Phase<Real>& phase : phases)
        flowing += reduce(
            phase.particles.size(), 0.0,
            [&](std::size_t i) { return phase.particles.flow.at(i) > Real(0) ? 1.0 : 0.0; },
            std::plus<>{});
    const auto total = [&](const char* name) {
        const auto found = totals.find(name);
        return found == totals.end() ? 0.0 : found->second;
    };
    return {{"flowing", flowing},
            {"embeddings", total("embeddings")},
            {"embedding_iterations", total("embedding_iterations")},
            {"viscous_iterations", total("viscous_iterations")},
            {"links_changed", total("links_changed")},
            {"split", total("split")},
            {"merged", total("merged")}};
}

// A particle that crossed its whole neighbourhood in one step, or a number that is none, stops it.
template <class Real>
StepReport EmbeddedSolver<Real>::check(const std::vector<Phase<Real>>& phases, double dt) const {
    for (const Phase<Real>& phase : phases) {
        const Particles<Real>& p = phase.particles;
        const double broken = reduce(
            p.size(), -1.0,
            [&](std::size_t i) {
                const bool fine = length(p.v.vec(i)) * static_cast<Real>(dt) < p.support.at(i);
                return fine ? -1.0 : static_cast<double>(i);
            },
            [](double a, double b) { return std::max(a, b); });
        if (broken >= 0)
            return {false, "kick", "a particle is too fast for its neighbours",
                    p.id.at(static_cast<std::size_t>(broken))};
    }
    return {};
}

template <class Real>
std::size_t EmbeddedSolver<Real>::workspace_bytes() const {
    std::size_t sum = 0;
    for (const auto& work : work_) sum += work.bytes();
    return sum;
}

template class EmbeddedSolver<float>;
template class EmbeddedSolver<double>;

}  // namespace knead
