// How large a step the grid solver may take, and why not larger.
#pragma once

#include <span>
#include <vector>

#include "knead/base/step_report.h"
#include "knead/geometry/collider.h"
#include "knead/materials/law.h"
#include "knead/mpm/settings.h"
#include "knead/particles/phase.h"

namespace knead {

// Largest rest volume over mass in a phase [m3/kg]; 1 / density where volumes are exact, 0 where
// there are no particles.
template <class Real>
double max_specific_volume(const Particles<Real>& particles);
template <class Real>
std::vector<double> max_specific_volumes(const std::vector<Phase<Real>>& phases);

// For elastic waves in matter of this volume a mass [m3/kg] and stiffness [Pa].
double elastic_dt_limit(const MpmSettings& settings, double specific_volume, double stiffness);

// What flip_dt = 0 stands for with AFLIP: the longest stable step of the stiffest of the materials
// at rest, so that matter depends neither on the step nor on `stability`.
template <class Real>
double step_of_flip(const MpmSettings& settings, std::span<const Law<Real>> laws,
                    std::span<const Material> materials);

// Limits that depend on the materials alone: elastic waves and viscosity of every phase, whose
// largest specific volumes are these.
template <class Real>
std::vector<DtLimit> material_dt_limits(const MpmSettings& settings,
                                        const std::vector<Phase<Real>>& phases,
                                        std::span<const double> specific_volumes,
                                        std::span<const Law<Real>> laws,
                                        std::span<const Material> materials);

// Limits of motion: nothing crosses more than `cfl` cells in a step.
std::vector<DtLimit> motion_dt_limits(const MpmSettings& settings, double max_speed,
                                      std::span<const Collider> colliders, double time,
                                      double longest);

}  // namespace knead
