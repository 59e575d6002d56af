// Point-based elastoplasticity with one linear solve a step [Zhou 2013], on the CPU. The strain of
// a fit is linear in positions once rotations are frozen; so one symmetric positive definite system
// gives the end of the step, stable at 2 ms from nearly liquid to nearly rigid. Real is float or
// double.
#pragma once

#include <map>

#include "knead/base/profile.h"
#include "knead/points/implicit/stages.h"

namespace knead {

template <class Real>
class ImplicitSolver {
public:
    ImplicitSolver(const ImplicitSettings& settings, const std::vector<Material>& materials);

    void prepare(std::vector<Phase<Real>>& phases);
    std::vector<DtLimit> dt_limits(const std::vector<Phase<Real>>& phases,
                                   const StepMemory& memory);
    StepReport advance(std::vector<Phase<Real>>& phases, StepMemory& memory,
                       Surroundings& surroundings, double dt, const StepContext& context);
    double elastic_energy(const std::vector<Phase<Real>>& phases) const;
    std::vector<std::pair<std::string, double>> statistics(
        const std::vector<Phase<Real>>& phases, const std::map<std::string, double>& totals) const;

    const Profile& profile() const { return profile_; }
    std::size_t workspace_bytes() const { return work_.bytes(); }
    // For those who look inside: oracles and benchmarks.
    ImplicitWorkspace<Real>& workspace() { return work_; }
    const std::vector<ImplicitLaw<Real>>& laws() const { return laws_; }

private:
    void sort_rows(std::vector<Phase<Real>>& phases, StepMemory& memory);
    void put_in_order(std::vector<Phase<Real>>& phases);
    void solve_step(StepMemory& memory, const StepContext& context);
    StepReport conclude(const std::vector<Phase<Real>>& phases, StepMemory& memory,
                        double dt) const;

    ImplicitSettings settings_;
    std::vector<ImplicitLaw<Real>> laws_;
    ImplicitWorkspace<Real> work_;
    std::string warning_;  // of the step
    Profile profile_;
};

}  // namespace knead
