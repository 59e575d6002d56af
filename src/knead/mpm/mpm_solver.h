// The material point method on the CPU: particles of any number of phases meet on one
// block-sparse grid. Real is float or double.
#pragma once

#include <vector>

#include "knead/base/profile.h"
#include "knead/base/step_report.h"
#include "knead/geometry/collider.h"
#include "knead/materials/law.h"
#include "knead/mpm/codimensional/bend_forces.h"
#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/implicit/solve_velocities.h"
#include "knead/mpm/settings.h"
#include "knead/scenery/scenery.h"

namespace knead {

struct AdvanceReport;

template <class Real>
class MpmSolver {
public:
    MpmSolver(const MpmSettings& settings, std::vector<Material> materials,
              std::vector<Collider> colliders, const Vec3d& gravity, std::vector<Grip> grips = {},
              std::vector<Bending> bending = {});

    // Gives fresh particles the columns their laws use, their volumes and their stress.
    void prepare(std::vector<Phase<Real>>& phases, StepMemory& memory);
    void hold_belt(std::size_t collider, bool held) {
        colliders_[collider].motion.belt.held = held;
    }
    std::vector<DtLimit> dt_limits(const std::vector<Phase<Real>>& phases, const StepMemory& memory,
                                   double time);
    StepReport advance(std::vector<Phase<Real>>& phases, StepMemory& memory, double time, double dt,
                       const StepContext& context);
    double elastic_energy(const std::vector<Phase<Real>>& phases) const;
    // Volume ratios, torn particles, and what removal and resampling have done so far.
    std::vector<std::pair<std::string, double>> statistics(
        const std::vector<Phase<Real>>& phases, const std::map<std::string, double>& totals) const;

    const MpmSettings& settings() const { return settings_; }
    const std::vector<Law<Real>>& laws() const { return laws_; }
    // Other particles have come from elsewhere: what is known of those there were is forgotten.
    void particles_changed() { material_limits_.clear(); }
    // Or they have changed elsewhere and stay there: largest specific volume of each phase.
    void specific_volumes_changed(const std::vector<Phase<Real>>& phases,
                                  std::span<const double> specific_volumes);

    // Of implicit steps, which the state keeps; lent to this for each step.
    NodeKicks<Real>& kicks() { return kicks_; }

    const Profile& profile() const { return profile_; }
    std::size_t workspace_bytes() const;

private:
    void remove_slivers(std::vector<Phase<Real>>& phases, StepMemory& memory,
                        const StepContext& context);
    void resample(std::vector<Phase<Real>>& phases, StepMemory& memory, const StepContext& context);
    void sort_if_needed(std::vector<Phase<Real>>& phases, StepMemory& memory);
    AdvanceReport take_step(std::vector<Phase<Real>>& phases, double time, double dt);
    AdvanceReport step_particles(std::vector<Phase<Real>>& phases, double time, double dt);
    template <int Order, Transfer transfer>
    void solve_grid(const std::vector<Phase<Real>>& phases, std::span<const ColliderAt> obstacles,
                    double time, double dt);
    void carry_grips(std::vector<Phase<Real>>& phases, double time, AdvanceReport& report);
    void step_elements(std::vector<Phase<Real>>& phases, AdvanceReport& report);
    void heal(std::vector<Phase<Real>>& phases, StepMemory& memory, double dt);
    void estimate_volumes(std::vector<Phase<Real>>& phases, StepMemory& memory);
    StepReport conclude(const AdvanceReport& report, StepMemory& memory) const;

    MpmSettings settings_;
    std::vector<Material> materials_;
    std::vector<Collider> colliders_;
    Vec3d gravity_;
    std::vector<Grip> grips_;
    std::vector<Law<Real>> laws_;  // by material; those of thin ones are never used

    // Scratch: rebuilt from the particles whenever it is missing.
    BlockGrid grid_;
    bool grid_is_built_ = false;
    Array<Real> tiles_, nodes_;
    ThinWorkspace<Real> thin_;
    BendForces<Real> bending_;
    ElasticScratch<Real> elastic_;
    SolveReport solve_;  // of the last step
    NodeKicks<Real> kicks_;
    std::vector<DtLimit> material_limits_;
    Profile profile_;
};

}  // namespace knead
