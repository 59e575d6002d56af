#include "knead/points/incremental/incremental_solver.h"

#include <algorithm>
#include <cmath>

#include "knead/math/eigen_sym.h"
#include "knead/math/svd.h"
#include "knead/parallel/exec.h"
#include "knead/particles/edit_rows.h"
#include "knead/points/cell_order.h"
#include "knead/points/incremental/rest_places.h"

namespace knead {

namespace {

// Rows are sorted anew when particles have moved by this much, in units of h; the state says a
// huge number when they never were, or when some are new.
constexpr double disorder = 0.5, unsorted = 1e29;

// Orders tables by the cells of a grid, so that neighbours lie near in memory. What has left its
// place at rest keeps its row: rows decide which of the equally far ones are neighbours.
template <class Real>
void sort_by_cell(std::vector<Phase<Real>>& phases, double cell) {
    const auto order = cell_order(phases, cell);
    for (std::size_t p = 0; p < phases.size(); ++p)
        if (!has_left_rest(phases[p].particles)) reorder(phases[p], order[p]);
}

// Times the speed of sound that particles may have against their mean; only a run that has blown up
// gets there, and shorter steps would only prolong it.
constexpr double runaway = 20;

template <class Real>
double max_speed(const std::vector<Phase<Real>>& phases) {
    double most = 0;
    for (const auto& phase : phases)
        most = reduce(
            phase.particles.size(), most,
            [&](std::size_t i) { return length(static_cast<Vec3d>(phase.particles.v.vec(i))); },
            [](double a, double b) { return std::max(a, b); });
    return most;
}

}  // namespace

template <class Real>
IncrementalSolver<Real>::IncrementalSolver(const IncrementalSettings& settings,
                                           const std::vector<Material>& materials)
    : settings_(settings) {
    std::vector<BodyMatter> matter;
    for (const Material& m : materials) {
        names_.push_back(m.name);
        laws_.push_back(make_stretch_law<Real>(m));
        matter.push_back({m});
    }
    fill_in(settings_, matter);
}

template <class Real>
void IncrementalSolver<Real>::prepare(std::vector<Phase<Real>>& phases) {
    for (auto& phase : phases) {
        Particles<Real>& p = phase.particles;
        if (p.F.present()) continue;  // from a checkpoint
        const std::size_t n = p.size();
        p.F.create(n);
        p.rest_density.create(n);
        if (law_of(phase).flow) p.hardening.create(n), p.flow.create(n);
        if (settings_.memory == DeformationMemory::additive_strain) p.strain.create(n);
        create_rest_places(settings_, law_of(phase).flow.has_value(), p);
        for (std::size_t i = 0; i < n; ++i) p.F.set(i, identity3<Real>());
    }
    work_.lists.clear();
    work_.rest_lists.clear();
}

// Increments of matter that does not flow keep every error, which only viscosity takes away; what
// flows, or keeps its start, needs less.
template <class Real>
double IncrementalSolver<Real>::viscosity_of(const Phase<Real>& phase) const {
    if (settings_.viscosity >= 0) return settings_.viscosity;
    const double share = law_of(phase).flow ? 0.5 : settings_.keeps_start() ? 0.2 : 1.0;
    return law_of(phase).damping(share, settings_.spacing);
}

template <class Real>
double IncrementalSolver<Real>::fastest_wave(const std::vector<Phase<Real>>& phases) const {
    double most = 0;
    for (const auto& phase : phases) most = std::max(most, law_of(phase).wave_speed);
    return most;
}

template <class Real>
StepReport IncrementalSolver<Real>::advance(std::vector<Phase<Real>>& phases, StepMemory& memory,
                                            Surroundings& surroundings, double dt,
                                            const StepContext& context) {
    const auto stage = [&](const char* name, const auto& work) {
        StageTimer timer(profile_, name);
        return work();
    };
    stage("find_neighbours", [&] { find_neighbours(phases, memory); });
    stage("sum_neighbours", [&] { sum_neighbours(settings_, phases, work_); });
    stage("compute_stress", [&] {
        for (std::size_t p = 0; p < phases.size(); ++p)
            compute_stress(settings_, law_of(phases[p]), phases[p], work_.first[p], work_);
    });
    stage("pair_forces", [&] {
        std::vector<double> viscosity;
        for (const auto& phase : phases) viscosity.push_back(viscosity_of(phase));
        work_.set_viscosity(viscosity);
        pair_forces(settings_, work_);
    });
    stage("surface_tension", [&] { surface_tension(settings_, work_); });
    const MoveReport moved =
        stage("integrate", [&] { return integrate(settings_, phases, dt, surroundings, work_); });
    memory.drift += moved.max_move;
    memory.max_speed = moved.max_speed;
    if (moved.bad >= 0)
        return {false, "integrate", "a particle left its neighbourhood in one step", moved.bad};
    if (moved.max_move > runaway * fastest_wave(phases) * dt)
        return {false, "integrate", "particles fly apart faster than any wave: it has blown up",
                -1};
    stage("fit_increment", [&] { fit_increment(settings_, work_); });
    FlowReport flow;
    stage("compose_and_flow", [&] {
        for (std::size_t p = 0; p < phases.size(); ++p)
            flow = flow + compose_and_flow(settings_, law_of(phases[p]), phases[p], work_.first[p],
                                           dt, work_);
    });
    context.totals["flowing"] = static_cast<double>(flow.flowing);
    context.totals["held_back"] = static_cast<double>(flow.kept);
    return {};
}

// Rows are sorted now and then, which is part of the state; candidates are renewed as need be,
// which is not.
template <class Real>
void IncrementalSolver<Real>::find_neighbours(std::vector<Phase<Real>>& phases,
                                              StepMemory& memory) {
    const double h = settings_.support * settings_.spacing;
    work_.load(settings_, phases);
    // where neighbours never change, rows need not move after the start
    if (memory.drift > (work_.all_from_rest() ? unsorted : disorder * h)) {
        sort_by_cell(phases, 0.5 * h);
        work_.lists.clear();
        if (memory.drift > unsorted) work_.rest_lists.clear();
        memory.drift = 0;
        work_.load(settings_, phases);
    }
    if (work_.any_from_rest() && work_.rest_lists.empty())
        find_rest_neighbours(settings_, phases, work_);
    if (!settings_.keeps_rest_configuration())
        work_.lists.update(work_.start, work_.place, h,
                           static_cast<std::size_t>(settings_.neighbours));
}

template <class Real>
std::vector<DtLimit> IncrementalSolver<Real>::dt_limits(const std::vector<Phase<Real>>& phases,
                                                        const StepMemory& memory) const {
    std::vector<DtLimit> limits;
    const double h = settings_.support * settings_.spacing;
    for (const auto& phase : phases) {
        const StretchLaw<Real>& law = law_of(phase);
        const auto density = static_cast<double>(law.density);
        const double squared = settings_.squared_stretch ? 2 : 1;
        const double speed =
            std::sqrt(squared * law.wave_speed * law.wave_speed + settings_.pressure / density);
        limits.push_back({"stiffness of " + names_[static_cast<std::size_t>(phase.material)],
                          settings_.stability * settings_.spacing / speed});
        // the sum of V lap W is 15 / h^2, and twice that bounds the fastest decay
        const double eta = viscosity_of(phase);
        if (eta > 0)
            limits.push_back({"viscosity", settings_.stability * density * h * h / (15 * eta)});
    }
    const double fastest = memory.max_speed < 0 ? max_speed(phases) : memory.max_speed;
    if (fastest > 0)
        limits.push_back({"fastest particle", settings_.cfl * settings_.spacing / fastest});
    return limits;
}

// Of the law's energy; the force as printed has none of its own.
template <class Real>
double IncrementalSolver<Real>::elastic_energy(const std::vector<Phase<Real>>& phases) const {
    double total = 0;
    for (const auto& phase : phases) {
        const Particles<Real>& p = phase.particles;
        total += std::visit(
            [&](const auto& elastic) {
                return reduce(
                    p.size(), 0.0,
                    [&](std::size_t i) {
                        Vec3<Real> s = svd(p.F.mat(i)).sigma;
                        if (p.strain.present())
                            s = eigen_sym(p.strain.sym(i)).lambda + splat(Real(1));
                        const Real energy = settings_.squared_stretch
                                                ? Real(0.5) * elastic.energy(s * s)
                                                : elastic.energy(s);
                        return static_cast<double>(p.volume.at(i) * energy);
                    },
                    std::plus<>{});
            },
            law_of(phase).elastic);
    }
    return total;
}

template <class Real>
std::vector<std::pair<std::string, double>> IncrementalSolver<Real>::statistics(
    const std::vector<Phase<Real>>&, const std::map<std::string, double>& totals) const {
    std::vector<std::pair<std::string, double>> list;
    for (const char* name : {"flowing", "held_back"}) {
        const auto at = totals.find(name);
        list.emplace_back(name, at == totals.end() ? 0.0 : at->second);
    }
    return list;
}

template class IncrementalSolver<float>;
template class IncrementalSolver<double>;

}  // namespace knead
