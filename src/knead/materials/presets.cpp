#include "knead/materials/presets.h"

#include <cmath>

#include "knead/materials/parameters.h"
#include "knead/materials/preset_notes.h"
#include "knead/materials/thin_presets.h"

namespace knead {

namespace {

const char* const table_1 = "Yue et al. 2015, Continuum Foam, Table I";
const char* const softened =
    " The bulk modulus is far below the real one, chosen so that steps stay long and volume "
    "changes "
    "stay under a few percent at table-top scale.";

// A row of the foam paper's Table I. Moduli in kPa, as printed there.
Material foam(const char* name, double density, double kappa, double mu, double yield_stress,
              double viscosity, double exponent, double tear_threshold, double recovery_time) {
    Material m;
    m.name = name;
    m.density = density;
    m.elastic.law = ElasticLaw::neo_hookean;
    m.elastic.bulk_modulus = 1000 * kappa;
    m.elastic.shear_modulus = 1000 * mu;
    m.flow.rule = FlowRule::herschel_bulkley;
    m.flow.yield_stress = yield_stress;
    m.flow.viscosity = viscosity;
    m.flow.exponent = exponent;
    m.tear.threshold = tear_threshold;
    m.tear.recovery_time = recovery_time;
    m.source = table_1;
    return m;
}

// A paste from what a rheometer measures in shear: yield stress [Pa], consistency [Pa s^n] and
// index n, turned into the uniaxial yield stress and the coefficient of the flow rule: simple shear
// gives yield_stress / sqrt(3) + viscosity 2^-((1+n)/2) rate^n while elastic strain is small.
Material paste(const char* name, double density, double bulk_modulus, double shear_modulus,
               double shear_yield, double consistency, double index, const std::string& source) {
    Material m;
    m.name = name;
    m.density = density;
    m.elastic.law = ElasticLaw::neo_hookean;
    m.elastic.bulk_modulus = bulk_modulus;
    m.elastic.shear_modulus = shear_modulus;
    m.flow.rule = FlowRule::herschel_bulkley;
    m.flow.yield_stress = std::sqrt(3.0) * shear_yield;
    m.flow.viscosity = consistency * std::pow(2.0, 0.5 * (1 + index));
    m.flow.exponent = index;
    m.source = source + softened;
    return m;
}

Material solid(const char* name, ElasticLaw law, double density, double young, double poisson,
               const std::string& source) {
    Material m;
    m.name = name;
    m.density = density;
    m.elastic.law = law;
    set_young_poisson(m, young, poisson);
    m.source = source;
    return m;
}

Material plastic(Material m, double yield_stress) {
    m.flow.rule = FlowRule::von_mises;
    m.flow.yield_stress = yield_stress;
    return m;
}

Material viscoplastic(Material m, double yield_stress, double viscosity, double exponent) {
    m.flow.rule = FlowRule::herschel_bulkley;
    m.flow.yield_stress = yield_stress;
    m.flow.viscosity = viscosity;
    m.flow.exponent = exponent;
    return m;
}

Material granular(Material m, double friction_angle, double gain, double decay, double start) {
    m.flow.rule = FlowRule::drucker_prager;
    m.flow.friction_angle = friction_angle;
    m.flow.hardening_gain = gain;
    m.flow.hardening_decay = decay;
    m.flow.hardening_start = start;
    return m;
}

Material creeping(Material m, double yield_stress, double rate, double interval, bool divided) {
    m.flow.rule = FlowRule::creep;
    m.flow.yield_stress = yield_stress;
    m.flow.creep_rate = rate;
    m.flow.creep_interval = interval;
    m.flow.creep_divided = divided;
    return m;
}

Material liquid(const char* name, double density, double bulk_modulus, double viscosity,
                const std::string& source) {
    Material m;
    m.name = name;
    m.density = density;
    m.elastic.law = ElasticLaw::fluid;
    m.elastic.bulk_modulus = bulk_modulus;
    m.elastic.fluid_viscosity = viscosity;
    m.source = source + softened;
    return m;
}

void add_foams(std::vector<Material>& all) {
    all.push_back(foam("shaving-cream", 77.7, 109, 0.29, 31.9, 27.2, 0.22, 217.5, 0.35));
    all.push_back(foam("smore-interior", 50, 109, 0.08, 10, 16, 0.43, 15, 0.25));
    all.push_back(foam("smore-exterior", 50, 109, 50, 1000, 0.1, 1, 0.3, 0.5));
    all.push_back(foam("pie", 275, 109, 1.6, 120, 5, 0.27, 10, 0.3));
    all.push_back(foam("oobleck", 1000, 109, 11.2, 0.1, 10, 2.8, 1, 0.3));
    all.push_back(foam("viscoplastic", 1000, 109, 11.2, 0.1, 10, 1, 1, 0.3));
}

void add_solids(std::vector<Material>& all) {
    using enum ElasticLaw;
    all.push_back(solid("jelly", fixed_corotated, 1050, 6e3, 0.45,
                        "Handbook order of magnitude for a firm gelatine gel (shear modulus 1 to 5 "
                        "kPa)." +
                            std::string(softened)));
    all.push_back(solid("rubber", neo_hookean, 1100, 1e6, 0.45,
                        "Handbook order of magnitude for soft rubber (Young's modulus 1 to 5 "
                        "MPa)." +
                            std::string(softened)));
    all.push_back(solid("foam-rubber", fixed_corotated, 40, 3e4, 0.1,
                        "Handbook order of magnitude for upholstery foam: density 30 to 50 kg/m3, "
                        "Young's modulus tens of kPa, hardly any lateral swelling."));
    all.push_back(
        plastic(solid("clay", hencky, 1700, 2e6, 0.4,
                      "Handbook order of magnitude for soft clay: undrained shear strength "
                      "12 to 25 kPa, here 14; stiffness chosen by us, about 80 times the "
                      "strength."),
                25e3));
    all.push_back(
        creeping(solid("soft-clay", corotated_linear, 1000, 1e5, 0.3,
                       "Chosen by us to look right at the scale of a 16 cm cube; creep in "
                       "the manner of Bargteil et al. 2007."),
                 200, 0.05, 5e-4, false));
    all.push_back(creeping(solid("gum", hencky, 1100, 1e5, 0.4,
                                 "Chosen by us to look right at the scale of a hand: slow creep at "
                                 "any stress, springs back from quick pulls."),
                           0, 0.002, 1e-3, false));
    all.push_back(
        creeping(solid("cornstarch", corotated_linear, 1000, 1e5, 0.3,
                       "Chosen by us to look right at the scale of a 16 cm cube: flows when "
                       "handled gently, rebounds from a blow."),
                 0, 100, 5e-4, true));
    all.push_back(plastic(solid("goo", hencky, 2000, 1e6, 0.35,
                                "Chosen by us to look right beside cloth at the scale of half a "
                                "metre."),
                          5e3));
    all.push_back(
        viscoplastic(solid("slime", hencky, 1050, 2e3, 0.35,
                           "Order of magnitude for slime of polyvinyl alcohol and borax; a Bingham "
                           "solid with a small yield stress, so that it comes to rest."),
                     10, 400, 1));
}

void add_grains(std::vector<Material>& all) {
    using enum ElasticLaw;
    all.push_back(granular(solid("sand", hencky, 2200, 3.537e5, 0.3,
                                 "Klar et al. 2016, Drucker-Prager Elastoplasticity for Sand "
                                 "Animation: the values in common use."),
                           35, 9, 0.2, 10));
    Material dry =
        granular(solid("dry-sand", hencky, 1600, 3.5e5, 0.3,
                       "Handbook: bulk density of dry loose sand 1600 kg/m3, angle of "
                       "repose 30 to 35 degrees, which is one of shear, no hardening; stiffness "
                       "as in Klar et al. 2016."),
                 33, 0, 0.2, 0);
    dry.flow.cone = Cone::shear;
    all.push_back(dry);
    all.push_back(
        granular(solid("gravel", hencky, 1800, 1e6, 0.3,
                       "Handbook: bulk density 1800 kg/m3, friction angle 38 to 42 degrees; "
                       "stiffness chosen by us."),
                 40, 0, 0.2, 0));
}

void add_pastes(std::vector<Material>& all) {
    const std::string order = "Handbook order of magnitude for ";
    Material whipped = paste("whipped-cream", 450, 1e5, 1500, 40, 12, 0.4,
                             order +
                                 "whipped cream (yield stress 20 to 60 Pa, shear modulus 1 to 3 "
                                 "kPa); tearing as for the pie of Yue et al. 2015.");
    whipped.tear = {10, 0.3};
    all.push_back(whipped);
    all.push_back(paste("dough", 1150, 3e5, 5000, 150, 500, 0.4,
                        order + "wheat dough (shear modulus 2 to 20 kPa, flow index 0.3 to 0.5)."));
    all.push_back(paste("toothpaste", 1300, 2e5, 2000, 150, 60, 0.45,
                        order + "toothpaste (yield stress 100 to 200 Pa, flow index 0.4 to 0.5)."));
    all.push_back(paste("mayonnaise", 940, 1e5, 800, 80, 20, 0.4,
                        order + "mayonnaise (yield stress 50 to 100 Pa, flow index 0.3 to 0.5)."));
    all.push_back(paste("ketchup", 1140, 1e5, 300, 20, 15, 0.3,
                        order + "ketchup (yield stress 10 to 30 Pa, flow index 0.25 to 0.35)."));
    all.push_back(
        paste("mud", 1500, 2e5, 5000, 60, 8, 0.6,
              order + "wet mud (yield stress 20 to 100 Pa); shear modulus chosen by us."));
    all.push_back(paste("molten-chocolate", 1280, 1e5, 1000, 8, 4, 0.9,
                        order +
                            "dark chocolate at 40 C (yield stress 5 to 20 Pa, plastic viscosity 2 "
                            "to 5 Pa s); shear modulus chosen by us."));
}

void add_liquids(std::vector<Material>& all) {
    all.push_back(
        liquid("water", 1000, 1e5, 1e-3,
               "Handbook: density and viscosity at 20 C. Sound travels at 10 m/s here, ten "
               "times the speed of a splash."));
    all.push_back(
        liquid("honey", 1420, 1.4e5, 10, "Handbook: honey at 20 C, viscosity 2 to 15 Pa s."));
    all.push_back(liquid("syrup", 1330, 1.3e5, 2, "Handbook order of magnitude for sugar syrup."));
}

}  // namespace

const std::vector<Material>& material_presets() {
    static const std::vector<Material> presets = [] {
        std::vector<Material> all;
        add_foams(all);
        add_solids(all);
        add_grains(all);
        add_pastes(all);
        add_liquids(all);
        add_thin_presets(all);
        for (Material& m : all) add_note(m);
        return all;
    }();
    return presets;
}

const Material* find_preset(std::string_view name) {
    for (const Material& m : material_presets())
        if (m.name == name) return &m;
    return nullptr;
}

}  // namespace knead
