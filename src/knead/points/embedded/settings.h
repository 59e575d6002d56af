// What a scene may choose about the embedded method [Jones 2014]. The defaults are the paper's, or
// work where it names none; the switches take single parts of it away, as its Fig. 2, 5 and 9 do.
#pragma once

#include "knead/points/viscosity_form.h"

namespace knead {

enum class EmbeddedIntegrator { newmark, semi_implicit, leapfrog };
enum class Embedding { linear, nonlinear, none };
enum class EmbeddingWeights { kernel, scale_free };  // the paper's; even for uneven sampling
enum class EmbeddedVolume { estimate, sph, constant };

struct EmbeddedSettings {
    double spacing = 0;     // between particles where a body names none [m]
    double viscosity = -1;  // eta, against relative motion of neighbours [Pa s]; negative: each
                            // material's own
    ViscosityForm viscosity_form = ViscosityForm::central;
    double wall_distance = 0.5;  // of the particles that touch an obstacle, from its surface, in
                                 // spacings; 0: their middles touch it, as in the paper
    double stability = 0.6;      // share of the elastic step bound to use
    EmbeddedIntegrator integrator = EmbeddedIntegrator::newmark;

    // Stiffness against what neighbours do beyond the linear map F, which stress does not feel, in
    // units of the stiffness against pressure waves; 0: none, as in the paper; negative: each
    // material's own.
    double shape_stiffness = -1;

    bool plastic_offsets = true;  // rest vectors follow the flow; off: nothing is remembered
    // The paper's is linear, which shrinks where rest spaces turn against each other.
    Embedding embedding = Embedding::nonlinear;
    EmbeddingWeights embedding_weights = EmbeddingWeights::kernel;
    int nonlinear_rounds = 1;           // of rotations and placements, nonlinear embedding only
    double embedding_tolerance = 1e-4;  // of the residual, in neighbourhood radii
    double settling = 1;  // share of the flow at which rest vectors follow what neighbours did
                          // beyond the linear map; 0: never, as in the paper
    bool neighbour_updates = true;  // neighbourhoods renewed in embedded space
    EmbeddedVolume volume = EmbeddedVolume::estimate;
    bool force_with_flow = false;  // forces through the flowed rest vectors, F_p^-T

    // Splitting and merging. Thresholds are in units of the start: the largest eigenvalue of the
    // sampling matrix below split x the smallest at the start, its smallest above merge x the
    // largest at the start, a neighbour nearer than merge_distance x the spacing.
    bool resampling = true;
    double split = 0.55;
    double merge = 1.5;
    double merge_distance = 0.4;
    double split_volume = 1.5;  // inside a body, what has merged to more than this x the start's
    double surface = 0.3;       // |mean neighbour vector| of surface particles, in spacings

    // Contact between parts that are near in the world and far in embedded space.
    bool contact = true;
    double contact_friction = 0.5;
};

}  // namespace knead
