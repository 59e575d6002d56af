// What a scene may choose about the incremental method [Gerszewski 2009]. The defaults are the
// paper's where it names any; those that follow from the matter are filled in by fill_in.
#pragma once

#include <span>

#include "knead/materials/material.h"
#include "knead/points/viscosity_form.h"

namespace knead {

// How a particle remembers its deformation: as the product of fitted increments, which is the
// method; or in the two ways that its Fig. 8 compares it with. With `start`, matter that never
// flows keeps its start and the neighbours it had there, and only presses on whom it meets since;
// matter that flows goes by increments beside it. by_matter: start where something never flows and
// none of that enters later, else increments.
enum class DeformationMemory { by_matter, increments, rest_configuration, additive_strain, start };
// The stress in the pair force: F P as printed in Eq. 10, or P alone, the derivative of an energy.
enum class StressForm { stretched, plain };

struct IncrementalSettings {
    double spacing = 0;     // between particles [m]
    double support = 2;     // radius h of neighbourhoods, in spacings
    int neighbours = 30;    // at most, the nearest; 0: all within h
    double pressure = -1;   // stiffness of the pressure between neighbours [Pa]; 0: none;
                            // negative: half of the least bulk modulus
    double viscosity = -1;  // [Pa s]; 0: none; negative: each material's own
    ViscosityForm viscosity_form = ViscosityForm::central;
    double surface_tension = 0;  // [N/m]; 0: none
    double wall_distance = 0.5;  // of the particles that touch an obstacle, from its surface, in
                                 // spacings; 0: their middles touch it, as in the paper
    DeformationMemory memory = DeformationMemory::by_matter;
    double shape_stiffness = -1;  // against what neighbours do beyond a linear map, in units of
                                  // that against pressure waves; where the start is kept;
                                  // negative: each material's own
    StressForm stress = StressForm::stretched;  // of increments; from the start it is plain
    double force_by_fit = -1;  // share of the elastic force of increments that does just the work
                               // that the fit sees; the rest is the paper's, by the kernel;
                               // negative: 1, and 0 with additive strain
    bool squared_stretch = false;  // stress from squared stretches, the hyperelastic variant
    int weight_power = 2;          // of the kernel in the fit, 2 as printed, or 1; from the start 1
    bool fuse = true;              // bodies that meet become one; else they only press
    double stability = 0.5;        // share of the elastic step bound to use
    double cfl = 0.2;              // spacings a particle may cross in a step

    bool keeps_start() const { return memory == DeformationMemory::start; }
    // Of matter that counts from places at rest, or of other matter.
    int power_of_weights(bool from_rest) const {
        return from_rest && keeps_start() ? 1 : weight_power;
    }
    bool keeps_rest_configuration() const {
        return memory == DeformationMemory::rest_configuration;
    }
};

// What a body is made of, and whether it is there from the start.
struct BodyMatter {
    Material material;
    bool enters_later = false;
};

// Replaces every setting that says "by the matter" with what it means for these bodies. Scenes and
// solvers both call it; settings that are filled in stay as they are.
void fill_in(IncrementalSettings& settings, std::span<const BodyMatter> bodies);

}  // namespace knead
