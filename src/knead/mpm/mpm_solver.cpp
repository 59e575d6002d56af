#include "knead/mpm/mpm_solver.h"

#include <algorithm>
#include <cmath>

#include "knead/mpm/foam/heal.h"
#include "knead/mpm/grid_to_particles.h"
#include "knead/mpm/material_columns.h"
#include "knead/mpm/particles_to_grid.h"
#include "knead/mpm/sort_particles.h"
#include "knead/mpm/stable_dt.h"
#include "knead/mpm/transfer/kernels.h"
#include "knead/mpm/update_grid.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

// Particles stay in their block's tile while they have moved by less than a cell.
constexpr double drift_allowed = 0.999;

std::vector<ColliderAt> colliders_at(const std::vector<Collider>& colliders, double time) {
    std::vector<ColliderAt> frozen;
    frozen.reserve(colliders.size());
    for (const Collider& c : colliders) frozen.emplace_back(c, time);
    return frozen;
}

}  // namespace

template <class Real>
MpmSolver<Real>::MpmSolver(const MpmSettings& settings, std::vector<Material> materials,
                           std::vector<Collider> colliders, const Vec3d& gravity)
    : settings_(settings),
      materials_(std::move(materials)),
      colliders_(std::move(colliders)),
      gravity_(gravity) {
    const Tearing tearing{settings.tearing, settings.limit_stress, settings.limit_deformation,
                          settings.healing};
    for (const Material& material : materials_) laws_.push_back(make_law<Real>(material, tearing));
}

template <class Real>
void MpmSolver<Real>::prepare(std::vector<Phase<Real>>& phases, StepMemory& memory) {
    bool fresh = false;
    for (auto& phase : phases) {
        if (phase.particles.stress.present()) continue;  // from a checkpoint
        fresh = true;
        create_material_columns(laws_[static_cast<std::size_t>(phase.material)], phase.particles);
        if (settings_.transfer == Transfer::apic) phase.particles.C.create(phase.particles.size());
    }
    if (fresh && settings_.estimate_volumes) estimate_volumes(phases, memory);
    grid_is_built_ = false;
    material_limits_.clear();
}

template <class Real>
StepReport MpmSolver<Real>::advance(std::vector<Phase<Real>>& phases, StepMemory& memory,
                                    double time, double dt) {
    sort_if_needed(phases, memory);
    const auto obstacles = colliders_at(colliders_, time + dt);
    AdvanceSettings step{settings_.dx, dt, settings_.flip_fraction, settings_.damping};
    if (settings_.flip_dt > 0)
        step.flip_fraction = std::pow(settings_.flip_fraction, dt / settings_.flip_dt);

    const AdvanceReport report = with_kernel(settings_, [&]<int Order, Transfer transfer>() {
        {
            StageTimer timer(profile_, "particles_to_grid");
            particles_to_grid<Real, Order, transfer>(phases, grid_, settings_.dx, dt, tiles_);
        }
        {
            StageTimer timer(profile_, "update_grid");
            update_grid<Real, Order, transfer>(grid_, tiles_, settings_.dx, dt, gravity_, obstacles,
                                               nodes_);
        }
        StageTimer timer(profile_, "grid_to_particles");
        return grid_to_particles<Real, Order, transfer>(phases, std::span<const Law<Real>>(laws_),
                                                        grid_, nodes_, obstacles, step);
    });
    heal(phases, memory, dt);
    return conclude(report, memory);
}

// Healing is exact for any time, so it is done every few steps for all of them.
template <class Real>
void MpmSolver<Real>::heal(std::vector<Phase<Real>>& phases, StepMemory& memory, double dt) {
    if (!settings_.tearing || !settings_.healing) return;
    memory.healing_due += dt;
    if (++memory.healing_steps < settings_.healing_interval) return;
    StageTimer timer(profile_, "heal");
    for (auto& phase : phases)
        heal_particles(laws_[static_cast<std::size_t>(phase.material)], phase.particles,
                       memory.healing_due);
    memory.healing_due = 0;
    memory.healing_steps = 0;
}

template <class Real>
void MpmSolver<Real>::sort_if_needed(std::vector<Phase<Real>>& phases, StepMemory& memory) {
    StageTimer timer(profile_, "sort_particles");
    if (memory.drift >= drift_allowed) {
        sort_particles(phases, settings_.dx,
                       settings_.kernel == 2 ? support_offset<2> : support_offset<3>);
        memory.drift = 0;
        grid_is_built_ = false;
    }
    if (!grid_is_built_) grid_.build(phases);
    grid_is_built_ = true;
}

template <class Real>
StepReport MpmSolver<Real>::conclude(const AdvanceReport& report, StepMemory& memory) const {
    memory.drift += report.max_move;
    memory.max_speed = report.max_speed;
    if (report.bad_id >= 0)
        return {false, "grid_to_particles", "stress or velocity is not a number", report.bad_id};
    if (!(report.max_move < 2))
        return {false, "grid_to_particles", "a particle crossed more than two cells in one step",
                -1};
    return {};
}

template <class Real>
std::vector<DtLimit> MpmSolver<Real>::dt_limits(const std::vector<Phase<Real>>& phases,
                                                const StepMemory& memory, double time) {
    if (material_limits_.empty())
        material_limits_ =
            material_dt_limits(settings_, phases, std::span<const Law<Real>>(laws_), materials_);
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
        particles_to_grid<Real, Order, transfer>(phases, grid_, settings_.dx, 0.0, tiles_);
        update_grid<Real, Order, transfer>(grid_, tiles_, settings_.dx, 0.0, Vec3d{0, 0, 0}, {},
                                           nodes_);
        gather_density<Real, Order, transfer>(phases, grid_, nodes_, settings_.dx, density);
    });
    for (std::size_t p = 0; p < phases.size(); ++p)
        for (std::size_t i = 0; i < density[p].size(); ++i)
            phases[p].particles.volume.at(i) = static_cast<Real>(
                static_cast<double>(phases[p].particles.mass.at(i)) / density[p][i]);
}

template <class Real>
double MpmSolver<Real>::elastic_energy(const std::vector<Phase<Real>>& phases) const {
    double energy = 0;
    for (const auto& phase : phases)
        energy += stored_energy(laws_[static_cast<std::size_t>(phase.material)], phase.particles);
    return energy;
}

template <class Real>
std::size_t MpmSolver<Real>::workspace_bytes() const {
    return (tiles_.capacity() + nodes_.capacity()) * sizeof(Real) + grid_.bytes();
}

template class MpmSolver<float>;
template class MpmSolver<double>;

}  // namespace knead
