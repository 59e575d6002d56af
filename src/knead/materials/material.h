// A material as a person describes it: numbers with names and units, no code. Scenes, presets and
// the rheometer speak this type; law.h turns it into the small value that a solver runs.
#pragma once

#include <string>

namespace knead {

enum class ElasticLaw { fixed_corotated, neo_hookean, hencky, corotated_linear, fluid, thin };
enum class FlowRule { none, von_mises, herschel_bulkley, drucker_prager, creep };

struct Elastic {
    ElasticLaw law = ElasticLaw::fixed_corotated;
    double bulk_modulus = 0;     // [Pa]
    double shear_modulus = 0;    // [Pa]
    double fluid_exponent = 7;   // of the equation of state, fluid only
    double fluid_viscosity = 0;  // Newtonian [Pa s], fluid only
};

// Which test a friction angle is that of: triaxial compression, or shear, where matter yields at
// tan(angle) times the pressure.
enum class Cone { triaxial, shear };

struct Flow {
    FlowRule rule = FlowRule::none;
    double yield_stress = 0;       // uniaxial [Pa]: von_mises, herschel_bulkley; stress norm: creep
    double viscosity = 0;          // [Pa s^exponent], herschel_bulkley
    double exponent = 1;           // below 1 thins with shear, above 1 thickens; herschel_bulkley
    double friction_angle = 35;    // [degrees], drucker_prager; h0 of the hardening law
    Cone cone = Cone::triaxial;    // drucker_prager
    double hardening_gain = 0;     // h1 [degrees], drucker_prager
    double hardening_decay = 0.2;  // h2 [1], drucker_prager
    double hardening_start = 0;    // h3 [degrees], drucker_prager
    double creep_rate = 0;         // nu: share of the excess removed in creep_interval; creep
    double creep_interval = 0;     // [s] reference step of creep_rate; 0: per step; creep
    double creep_hardening = 0;    // K [1/s]: above 0 hardens, below 0 softens; creep
    bool creep_divided = false;    // divide the rate by the stress norm (cornstarch); creep
    double creep_volume_low = 0.2;   // |ln J| where volume starts to flow too; creep
    double creep_volume_high = 0.7;  // |ln J| where it flows fully; creep
};

struct Tear {
    double threshold = 0;      // of |dev C_p|; 0: never tears
    double recovery_time = 0;  // [s]
};

// Cloth, yarn and hair [Jiang 2017]: along the sheet or fibre it is elastic, across it contact and
// friction act. Bulk and shear modulus act in a sheet, and across fibres.
struct Thin {
    double compression = 0;     // k of sheets: stiffness across them [Pa]
    double stretch = 0;         // k of fibres: stiffness along them [Pa]
    double shear = 0;           // gamma: of the normal against the sheet or fibre [Pa]
    double friction_angle = 0;  // between layers and strands [degrees]
    double sheet_bending = 0;   // [N m], D of a plate; 0: none, as published
    double fibre_bending = 0;   // [N m2], E I of a rod; 0: none, as published
    double damping = 0;         // of shear modes a step, 0..1 [Jiang 2017, Eq. 2]
    double thickness = 0;       // of sheets, unless the body says [m]; 0: as the scene has it
    double radius = 0;          // of curves, likewise [m]
    bool whole_volume = false;  // elements bear stress with all their volume, not their own share
};

struct Material {
    std::string name;
    double density = 1000;  // at rest [kg/m3]
    Elastic elastic;
    Flow flow;
    Tear tear;
    Thin thin;
    std::string source;    // where the numbers come from
    std::string compared;  // which measurements a preset was compared with, and how it came out
    int color = -1;        // in pictures, 0xrrggbb; -1: none
};

// Lame's first parameter [Pa].
inline double lame_lambda(const Material& m) {
    return m.elastic.bulk_modulus - 2.0 / 3.0 * m.elastic.shear_modulus;
}
inline bool is_thin(const Material& m) { return m.elastic.law == ElasticLaw::thin; }
// The norm of the deviatoric stress at yield [Pa]: sqrt(2/3) of the uniaxial yield stress.
inline double yield_radius(const Material& m) { return 0.81649658092772603 * m.flow.yield_stress; }

// Whether it is made of these parts: an elastic law and a flow rule, which name their words.
template <class ElasticPart, class FlowPart>
bool is_made_of(const Material& m) {
    return m.elastic.law == ElasticPart::law && m.flow.rule == FlowPart::rule;
}

// Which parts of tearing a solver wants; materials without a tear threshold never tear.
struct Tearing {
    bool on = false;
    bool limits_stress = true;       // torn matter bears no tension
    bool limits_deformation = true;  // nor gathers more shear or volume
    bool heals = true;

    bool tears(const Material& m) const { return on && m.tear.threshold > 0; }
};

}  // namespace knead
