#include "knead/mpm/mpm_solver.h"

#include <algorithm>
#include <cmath>

#include "knead/mpm/codimensional/pin_nodes.h"
#include "knead/mpm/codimensional/thin_forces.h"
#include "knead/mpm/codimensional/thin_limits.h"
#include "knead/mpm/codimensional/thin_statistics.h"
#include "knead/mpm/codimensional/update_elements.h"
#include "knead/mpm/foam/heal.h"
#include "knead/mpm/foam/remove_subgrid.h"
#include "knead/mpm/foam/resample/avoid_a_void.h"
#include "knead/mpm/foam/schedule.h"
#include "knead/mpm/formulas.h"
#include "knead/mpm/grid_to_particles.h"
#include "knead/mpm/material_columns.h"
#include "knead/mpm/particles_to_grid.h"
#include "knead/mpm/sort_particles.h"
#include "knead/mpm/stable_dt.h"
#include "knead/mpm/transfer/kernels.h"
#include "knead/mpm/update_grid.h"
#include "knead/mpm/volume_statistics.h"
#include "knead/parallel/exec.h"
#include "knead/scenery/grips.h"

namespace knead {

namespace {

// Particles are within their block's tile while they stand less than a cell outside the block.
constexpr double outside_allowed = 0.999;
// They are sorted by where they will be when the fastest have moved by this many cells.
constexpr double cells_ahead = 0.5;

std::vector<ColliderAt> colliders_at(const std::vector<Collider>& colliders, double time) {
    std::vector<ColliderAt> frozen;
    frozen.reserve(colliders.size());
    for (const Collider& c : colliders) frozen.emplace_back(c, time);
    return frozen;
}

}  // namespace

template <class Real>
MpmSolver<Real>::MpmSolver(const MpmSettings& settings, std::vector<Material> materials,
                           std::vector<Collider> colliders, const Vec3d& gravity,
                           std::vector<Grip> grips, std::vector<Bending> bending)
    : settings_(settings),
      materials_(std::move(materials)),
      colliders_(std::move(colliders)),
      gravity_(gravity),
      grips_(std::move(grips)),
      bending_(std::move(bending)) {
    const Tearing tearing{settings.tearing, settings.limit_stress, settings.limit_deformation,
                          settings.healing};
    for (const Material& material : materials_)
        laws_.push_back(is_thin(material) ? Law<Real>{} : make_law<Real>(material, tearing));
    settings_.flip_dt = step_of_flip(settings_, std::span<const Law<Real>>(laws_), materials_);
}

template <class Real>
void MpmSolver<Real>::prepare(std::vector<Phase<Real>>& phases, StepMemory& memory) {
    bool fresh = false;
    for (std::size_t p = 0; p < phases.size(); ++p) {
        Phase<Real>& phase = phases[p];
        const Particles<Real>& made = phase.particles;
        if (made.stress.present() || (!phase.is_volume() && made.C.present()))
            continue;  // from a checkpoint
        fresh = true;
        if (phase.kind == PhaseKind::vertices) phase.particles.C.create(phase.particles.size());
        if (phase.kind == PhaseKind::elements) prepare_elements(phases, p);
        if (!phase.is_volume()) continue;
        create_material_columns(laws_[static_cast<std::size_t>(phase.material)], phase.particles);
        if (is_affine(settings_.transfer)) phase.particles.C.create(phase.particles.size());
    }
    if (fresh) take_hold_at_rest(grips_, phases);
    if (fresh && settings_.estimate_volumes) estimate_volumes(phases, memory);
    grid_is_built_ = false;
    material_limits_.clear();
}

// The numbers are the fifteen stages of [Yue 2015, Alg. 4]; those of one line are done in one pass.
template <class Real>
StepReport MpmSolver<Real>::advance(std::vector<Phase<Real>>& phases, StepMemory& memory,
                                    double time, double dt, const StepContext& context) {
    if (slivers_are_due(settings_, memory)) remove_slivers(phases, memory, context);  // 12
    sort_if_needed(phases, memory);
    const AdvanceReport report = take_step(phases, time, dt);  // 1 to 10, 13, 14
    heal(phases, memory, dt);                                  // 11
    StepReport outcome = conclude(report, memory);
    if (!outcome.ok) return outcome;
    if (settings_.is_implicit()) {
        solve_.add_to(context.totals);
        outcome.what = solve_.warning();
    }
    if (count_to_resampling(settings_, memory, dt, report.max_strain))
        resample(phases, memory, context);  // 15
    return outcome;
}

template <class Real>
AdvanceReport MpmSolver<Real>::take_step(std::vector<Phase<Real>>& phases, double time, double dt) {
    place_held(grips_, time + dt, phases, thin_);
    if (thin_.present() && !settings_.is_implicit()) {
        StageTimer timer(profile_, "thin_forces");
        compute_thin_forces(phases, std::span<const Material>(materials_), settings_.thin_model,
                            thin_);
        if (settings_.thin_model != ThinModel::standard_mpm) bending_.add_to(phases, thin_);
        leave_to_grips(thin_);
    }
    AdvanceReport report = step_particles(phases, time, dt);
    carry_grips(phases, time + dt, report);
    if (thin_.present()) step_elements(phases, report);
    return report;
}

template <class Real>
AdvanceReport MpmSolver<Real>::step_particles(std::vector<Phase<Real>>& phases, double time,
                                              double dt) {
    const auto obstacles = colliders_at(colliders_, time + dt);
    const std::span<const Law<Real>> laws(laws_);
    AdvanceSettings step{settings_.dx,
                         dt,
                         flip_share(settings_, dt),
                         settings_.damping,
                         settings_.resampling,
                         settings_.thin_model == ThinModel::standard_mpm};
    const std::vector<double> damping = damping_of_phases(settings_, phases, materials_);
    step.damping_of_phase = damping;
    std::vector<char> solved;
    if (settings_.is_implicit()) solved = solved_phases(phases, laws);

    return with_kernel(settings_, [&]<int Order, Transfer transfer>() {
        {
            // 1 rasterize, 3 compute grid forces; their stress was limited (4) where torn (2) below
            StageTimer timer(profile_, "particles_to_grid");
            particles_to_grid<Real, Order, transfer>(phases, grid_, settings_.dx, dt, thin_, solved,
                                                     tiles_);
        }
        if (settings_.is_implicit()) {
            solve_grid<Order, transfer>(phases, obstacles, time, dt);
        } else {
            // 5 update grid velocities, 6 resolve grid collisions
            StageTimer timer(profile_, "update_grid");
            update_grid<Real, Order, transfer>(
                grid_, tiles_, settings_.dx, dt, gravity_, obstacles, nodes_,
                {settings_.sticky_reach, dt, settings_.sticky_walls});
            pin_nodes<Real, transfer>(grips_, time + dt, phases, grid_, settings_.dx, nodes_);
        }
        // 7 update deformation, 8 limit it where torn, 9 update particle velocities, 10 plastic
        // flow, 2 detect tearing, 4 limit stress, 13 resolve particle collisions, 14 update
        // positions
        StageTimer timer(profile_, "grid_to_particles");
        return grid_to_particles<Real, Order, transfer>(phases, laws, grid_, nodes_, obstacles,
                                                        step);
    });
}

// Velocities at the end of the step that balance the forces there.
template <class Real>
template <int Order, Transfer transfer>
void MpmSolver<Real>::solve_grid(const std::vector<Phase<Real>>& phases,
                                 std::span<const ColliderAt> obstacles, double time, double dt) {
    {
        StageTimer timer(profile_, "update_grid");
        update_grid<Real, Order, transfer>(grid_, tiles_, settings_.dx, dt, gravity_, {}, nodes_);
    }
    if constexpr (transfer == Transfer::apic) {
        StageTimer timer(profile_, "solve_velocities");
        solve_ = solve_velocities<Real, Order>(
            {phases, grid_, laws_, materials_, settings_, thin_, bending_, elastic_}, obstacles,
            grips_, gravity_, time, dt, nodes_, kicks_);
    }
}

// Held particles leave the places they were sorted by, too.
template <class Real>
void MpmSolver<Real>::carry_grips(std::vector<Phase<Real>>& phases, double time,
                                  AdvanceReport& report) {
    if (grips_.empty()) return;
    StageTimer timer(profile_, "carry_grips");
    report.outside += carry_held(grips_, time, phases) / settings_.dx;
}

// Sheets and curves follow their vertices; contact and friction return their normals.
template <class Real>
void MpmSolver<Real>::step_elements(std::vector<Phase<Real>>& phases, AdvanceReport& report) {
    StageTimer timer(profile_, "update_elements");
    const ElementReport elements =
        update_elements(phases, std::span<const Material>(materials_), settings_.thin_model, grid_,
                        thin_, settings_.dx, support_offset_of(settings_));
    report.outside = std::max(report.outside, elements.outside);
    report.least_normal = elements.least_normal;
}

// Torn particles that too few others surround for the grid to see a body there.
template <class Real>
void MpmSolver<Real>::remove_slivers(std::vector<Phase<Real>>& phases, StepMemory& memory,
                                     const StepContext& context) {
    StageTimer timer(profile_, "remove_subgrid");
    const RemovalReport removed = remove_subgrid(phases, settings_.dx);
    removed.add_to(context.totals);
    if (removed.removed == 0) return;
    grid_is_built_ = false;
    for (const auto& phase : phases)  // those that were sorted still are
        if (phase.blocks.empty()) memory.drift = StepMemory{}.drift;
    material_limits_.clear();
}

// Voids are filled and particles that meet are merged.
template <class Real>
void MpmSolver<Real>::resample(std::vector<Phase<Real>>& phases, StepMemory& memory,
                               const StepContext& context) {
    StageTimer timer(profile_, "avoid_a_void");
    const ResampleReport report =
        avoid_a_void(phases, settings_.dx, context.seed, context.step, context.next_id);
    report.add_to(context.totals);
    if (!report.changed()) return;
    for (auto& phase : phases)
        if (phase.is_volume())
            refresh_stress(laws_[static_cast<std::size_t>(phase.material)], phase.particles);
    memory.drift = StepMemory{}.drift;
    material_limits_.clear();
}

template <class Real>
void MpmSolver<Real>::heal(std::vector<Phase<Real>>& phases, StepMemory& memory, double dt) {
    const double due = count_to_healing(settings_, memory, dt);
    if (due == 0) return;
    StageTimer timer(profile_, "heal");
    for (auto& phase : phases)
        if (phase.is_volume())
            heal_particles(laws_[static_cast<std::size_t>(phase.material)], phase.particles, due);
}

template <class Real>
void MpmSolver<Real>::sort_if_needed(std::vector<Phase<Real>>& phases, StepMemory& memory) {
    StageTimer timer(profile_, "sort_particles");
    if (memory.drift >= outside_allowed) {
        const double lead =
            memory.max_speed > 0 ? cells_ahead * settings_.dx / memory.max_speed : 0.0;
        sort_particles(phases, settings_.dx, support_offset_of(settings_), lead);
        memory.drift = 0;
        grid_is_built_ = false;
    }
    if (!grid_is_built_) {
        grid_.build(phases);
        find_corners(phases, thin_);
        bending_.find_rows(phases);
    }
    grid_is_built_ = true;
}

template <class Real>
StepReport MpmSolver<Real>::conclude(const AdvanceReport& report, StepMemory& memory) const {
    memory.drift = report.outside;
    memory.max_speed = report.max_speed;
    memory.least_normal = report.least_normal;
    if (settings_.is_implicit() && !solve_.ok)
        return {false, "solve_velocities", "matter would turn inside out however slowly it began",
                -1};
    if (report.bad_id >= 0)
        return {false, "grid_to_particles", "stress or velocity is not a number", report.bad_id};
    if (!(report.max_move < 2))
        return {false, "grid_to_particles", "a particle crossed more than two cells in one step",
                -1};
    return {};
}

template <class Real>
void MpmSolver<Real>::specific_volumes_changed(const std::vector<Phase<Real>>& phases,
                                               std::span<const double> specific_volumes) {
    material_limits_ = material_dt_limits(settings_, phases, specific_volumes,
                                          std::span<const Law<Real>>(laws_), materials_);
}

template <class Real>
std::vector<DtLimit> MpmSolver<Real>::dt_limits(const std::vector<Phase<Real>>& phases,
                                                const StepMemory& memory, double time) {
    if (material_limits_.empty()) specific_volumes_changed(phases, max_specific_volumes(phases));
    double speed = memory.max_speed;
    if (speed < 0) {
        speed = 0;
        for (const auto& phase : phases)
            speed =
                std::max(speed, reduce(
                                    phase.particles.size(), 0.0,
                                    [&](std::size_t i) {
                                        return length(static_cast<Vec3d>(phase.particles.v.vec(i)));
                                    },
                                    [](double a, double b) { return std::max(a, b); }));
    }
    std::vector<DtLimit> limits = material_limits_;
    if (!settings_.is_implicit()) {
        for (DtLimit& limit : thin_dt_limits(settings_, phases, materials_, memory.least_normal))
            limits.push_back(std::move(limit));
        for (DtLimit& limit : bend_dt_limits(settings_, bending_.bending(), materials_))
            limits.push_back(std::move(limit));
    }
    double longest = 1;
    for (const DtLimit& limit : limits) longest = std::min(longest, limit.dt);
    for (DtLimit& limit : motion_dt_limits(settings_, speed, colliders_, time, longest))
        limits.push_back(std::move(limit));
    return limits;
}

// V_p = m_p / rho_p with the density the grid sees. [Yue 2015, Alg. 5]
template <class Real>
void MpmSolver<Real>::estimate_volumes(std::vector<Phase<Real>>& phases, StepMemory& memory) {
    sort_if_needed(phases, memory);
    std::vector<std::vector<double>> density;
    with_kernel(settings_, [&]<int Order, Transfer transfer>() {
        particles_to_grid<Real, Order, transfer>(phases, grid_, settings_.dx, 0.0, thin_, {},
                                                 tiles_);
        update_grid<Real, Order, transfer>(grid_, tiles_, settings_.dx, 0.0, Vec3d{0, 0, 0}, {},
                                           nodes_);
        gather_density<Real, Order, transfer>(phases, grid_, nodes_, settings_.dx, density);
    });
    for (std::size_t p = 0; p < phases.size(); ++p)
        for (std::size_t i = 0; phases[p].is_volume() && i < density[p].size(); ++i)
            phases[p].particles.volume.at(i) = static_cast<Real>(
                static_cast<double>(phases[p].particles.mass.at(i)) / density[p][i]);
}

template <class Real>
double MpmSolver<Real>::elastic_energy(const std::vector<Phase<Real>>& phases) const {
    double energy = 0;
    for (const auto& phase : phases) {
        const auto m = static_cast<std::size_t>(phase.material);
        if (phase.is_volume()) energy += stored_energy(laws_[m], phase.particles);
        if (phase.kind == PhaseKind::elements)
            energy += thin_energy(phases, phase, materials_[m], settings_.thin_model);
    }
    if (settings_.thin_model != ThinModel::standard_mpm) energy += bending_.energy(phases);
    return energy;
}

template <class Real>
std::vector<std::pair<std::string, double>> MpmSolver<Real>::statistics(
    const std::vector<Phase<Real>>& phases, const std::map<std::string, double>& totals) const {
    std::vector<std::pair<std::string, double>> list = volume_statistics(phases);
    for (auto& entry : thin_statistics(phases)) list.push_back(std::move(entry));
    std::vector<const char*> sums;
    if (settings_.removes_slivers()) sums = {"removed", "removed_mass"};
    if (settings_.resampling)
        sums.insert(sums.end(), {"inserted", "merged", "resampled_mass", "resampled_volume",
                                 "resampled_momentum", "resampled_angular_momentum"});
    if (settings_.is_implicit())
        sums.insert(sums.end(), std::begin(solve_totals), std::end(solve_totals));
    for (const char* name : sums) {
        const auto at = totals.find(name);
        list.emplace_back(name, at == totals.end() ? 0.0 : at->second);
    }
    return list;
}

template <class Real>
std::size_t MpmSolver<Real>::workspace_bytes() const {
    return (tiles_.capacity() + nodes_.capacity()) * sizeof(Real) + grid_.bytes() + thin_.bytes() +
           bending_.bytes() + elastic_.bytes();
}

template class MpmSolver<float>;
template class MpmSolver<double>;

}  // namespace knead
