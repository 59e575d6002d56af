// Point-based elastoplasticity with deformation embedding [Jones 2014], on the CPU. Every particle
// remembers where it wants its neighbours: its rest vectors. Flow changes them; because they come
// to contradict each other, all particles are placed in one embedded space that fits them best, and
// there neighbourhoods are renewed. Real is float or double.
#pragma once

#include <map>

#include "knead/base/profile.h"
#include "knead/points/embedded/stages.h"

namespace knead {

template <class Real>
class EmbeddedSolver {
public:
    EmbeddedSolver(const EmbeddedSettings& settings, const std::vector<Material>& materials);

    // Fresh bodies get neighbours, rest vectors and volumes.
    void prepare(std::vector<Phase<Real>>& phases);
    std::vector<DtLimit> dt_limits(const std::vector<Phase<Real>>& phases, const StepMemory&);
    StepReport advance(std::vector<Phase<Real>>& phases, StepMemory& memory,
                       Surroundings& surroundings, double dt, const StepContext& context);
    double elastic_energy(const std::vector<Phase<Real>>& phases) const;
    std::vector<std::pair<std::string, double>> statistics(
        const std::vector<Phase<Real>>& phases, const std::map<std::string, double>& totals) const;

    const Profile& profile() const { return profile_; }
    std::size_t workspace_bytes() const;

private:
    double viscosity_of(const Phase<Real>& phase) const;
    const StretchLaw<Real>& law(const Phase<Real>& phase) const {
        return laws_[static_cast<std::size_t>(phase.material)];
    }
    // Returns how many particles flow.
    std::size_t compute_forces(Phase<Real>& phase, EmbeddedWorkspace<Real>& work, double dt);
    void renew_neighbourhoods(Phase<Real>& phase, EmbeddedWorkspace<Real>& work,
                              const Surroundings& surroundings, const StepContext& context);
    StepReport check(const std::vector<Phase<Real>>& phases, double dt) const;

    EmbeddedSettings settings_;
    std::vector<Material> materials_;
    std::vector<StretchLaw<Real>> laws_;
    std::vector<EmbeddedWorkspace<Real>> work_;  // one a phase
    Profile profile_;
};

}  // namespace knead
