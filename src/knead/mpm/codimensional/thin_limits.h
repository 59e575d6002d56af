// What sheets and curves ask of a step: its longest stable length, and their own damping.
#pragma once

#include <span>

#include "knead/base/step_report.h"
#include "knead/materials/material.h"
#include "knead/mpm/codimensional/bends.h"
#include "knead/mpm/settings.h"
#include "knead/particles/phase.h"

namespace knead {

// `least_normal` is the smallest stretch across them in the last step: contact stiffens with it.
template <class Real>
std::vector<DtLimit> thin_dt_limits(const MpmSettings& settings,
                                    const std::vector<Phase<Real>>& phases,
                                    std::span<const Material> materials, double least_normal);

// A vertex bends no faster than by itself, whatever the grid between it and its neighbours.
std::vector<DtLimit> bend_dt_limits(const MpmSettings& settings, std::span<const Bending> bending,
                                    std::span<const Material> materials);

// Of APIC's shear modes; empty where a scene has no thin bodies.
template <class Real>
std::vector<double> damping_of_phases(const MpmSettings& settings,
                                      const std::vector<Phase<Real>>& phases,
                                      std::span<const Material> materials);

}  // namespace knead
