// What a scene may choose about the incremental method [Gerszewski 2009]. The defaults are the
// paper's where it names any.
#pragma once

namespace knead {

// How a particle remembers its deformation: as the product of fitted increments, which is the
// method; or in the two ways that its Fig. 8 compares it with. With `start`, matter that never
// flows keeps its start and the neighbours it had there, and only presses on whom it meets since;
// matter that flows goes by increments beside it.
enum class DeformationMemory { increments, rest_configuration, additive_strain, start };
// The stress in the pair force: F P as printed in Eq. 10, or P alone, the derivative of an energy.
enum class StressForm { stretched, plain };

struct IncrementalSettings {
    double spacing = 0;          // between particles [m]
    double support = 2;          // radius h of neighbourhoods, in spacings
    int neighbours = 30;         // at most, the nearest; 0: all within h
    double pressure = 0;         // stiffness of the pressure between neighbours [Pa]; 0: none
    double viscosity = 0;        // [Pa s]; 0: none; negative: each material's own
    double surface_tension = 0;  // [N/m]; 0: none
    DeformationMemory memory = DeformationMemory::increments;
    double shape_stiffness = 0.5;  // against what neighbours do beyond a linear map, in units of
                                   // that against pressure waves; where the start is kept
    StressForm stress = StressForm::stretched;  // of increments; from the start it is plain
    double force_by_fit = 0;  // share of the elastic force of increments that does just the work
                              // that the fit sees; the rest is the paper's, by the kernel
    bool squared_stretch = false;  // stress from squared stretches, the hyperelastic variant
    int weight_power = 2;          // of the kernel in the fit, 2 as printed, or 1
    bool fuse = true;              // bodies that meet become one; else they only press
    double stability = 0.5;        // share of the elastic step bound to use
    double cfl = 0.2;              // spacings a particle may cross in a step

    bool keeps_start() const { return memory == DeformationMemory::start; }
    bool keeps_rest_configuration() const {
        return memory == DeformationMemory::rest_configuration;
    }
};

}  // namespace knead
