// Point-based elastoplasticity by increments [Gerszewski 2009], on the CPU. A particle remembers
// nothing but its elastic deformation gradient: each step fits the affine motion of the neighbours
// it has at the moment and multiplies it on. Real is float or double.
#pragma once

#include <map>

#include "knead/base/profile.h"
#include "knead/points/incremental/stages.h"

namespace knead {

template <class Real>
class IncrementalSolver {
public:
    IncrementalSolver(const IncrementalSettings& settings, const std::vector<Material>& materials);

    // Gives fresh particles the columns that the method uses.
    void prepare(std::vector<Phase<Real>>& phases);
    // Limits of materials and speed; those of obstacles are the surroundings'.
    std::vector<DtLimit> dt_limits(const std::vector<Phase<Real>>& phases,
                                   const StepMemory& memory) const;
    StepReport advance(std::vector<Phase<Real>>& phases, StepMemory& memory,
                       Surroundings& surroundings, double dt, const StepContext& context);
    double elastic_energy(const std::vector<Phase<Real>>& phases) const;
    // Particles that flowed and that guards held back in the last step.
    std::vector<std::pair<std::string, double>> statistics(
        const std::vector<Phase<Real>>& phases, const std::map<std::string, double>& totals) const;

    const Profile& profile() const { return profile_; }
    std::size_t workspace_bytes() const { return work_.bytes(); }

private:
    const StretchLaw<Real>& law_of(const Phase<Real>& phase) const {
        return laws_[static_cast<std::size_t>(phase.material)];
    }
    double viscosity_of(const Phase<Real>& phase) const;
    double fastest_wave(const std::vector<Phase<Real>>& phases) const;
    void find_neighbours(std::vector<Phase<Real>>& phases, StepMemory& memory);

    IncrementalSettings settings_;
    std::vector<std::string> names_;  // of the materials
    std::vector<StretchLaw<Real>> laws_;
    IncrementalWorkspace<Real> work_;
    Profile profile_;
};

}  // namespace knead
