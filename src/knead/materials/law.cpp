#include "knead/materials/law.h"

#include "knead/base/error.h"
#include "knead/materials/parameters.h"

namespace knead {

namespace {

double yield_radius(const Material& m) { return 0.81649658092772603 * m.flow.yield_stress; }

template <class Real>
struct Maker {
    const Material& m;
    const Tearing& tearing;
    Real K = static_cast<Real>(m.elastic.bulk_modulus);
    Real G = static_cast<Real>(m.elastic.shear_modulus);
    Real lambda = static_cast<Real>(m.elastic.bulk_modulus - 2.0 / 3.0 * m.elastic.shear_modulus);

    VonMises<Real> von_mises() const { return {static_cast<Real>(yield_radius(m))}; }
    HerschelBulkley<Real> herschel_bulkley() const {
        return {static_cast<Real>(yield_radius(m)), static_cast<Real>(m.flow.viscosity),
                static_cast<Real>(m.flow.exponent)};
    }
    DruckerPrager<Real> drucker_prager() const {
        const auto radians = [](double degrees) {
            return static_cast<Real>(degrees * 3.14159265358979323846 / 180);
        };
        return {radians(m.flow.friction_angle), radians(m.flow.hardening_gain),
                static_cast<Real>(m.flow.hardening_decay), radians(m.flow.hardening_start),
                (3 * lambda + 2 * G) / (2 * G)};
    }
    Creep<Real> creep() const {
        return {static_cast<Real>(m.flow.yield_stress),
                static_cast<Real>(m.flow.creep_rate),
                static_cast<Real>(m.flow.creep_interval),
                static_cast<Real>(m.flow.creep_hardening),
                m.flow.creep_divided,
                static_cast<Real>(m.flow.creep_volume_low),
                static_cast<Real>(m.flow.creep_volume_high),
                static_cast<Real>(1e-12 * m.elastic.shear_modulus)};
    }

    template <class Elastic>
    Law<Real> corotated() const {
        const Elastic elastic{G, lambda};
        if (m.flow.rule == FlowRule::creep) return CreepSolid<Real, Elastic>{elastic, creep()};
        return PolarSolid<Real, Elastic>{elastic};
    }
    Law<Real> hencky() const {
        const Hencky<Real> elastic{G, lambda};
        switch (m.flow.rule) {
            case FlowRule::von_mises:
                return HenckySolid<Real, VonMises<Real>>{elastic, von_mises()};
            case FlowRule::herschel_bulkley:
                return HenckySolid<Real, HerschelBulkley<Real>>{elastic, herschel_bulkley()};
            case FlowRule::drucker_prager:
                return Sand<Real>{elastic, drucker_prager()};
            case FlowRule::creep:
                return CreepSolid<Real, Hencky<Real>>{elastic, creep()};
            case FlowRule::none:
                break;
        }
        return HenckySolid<Real, NoFlow>{elastic, {}};
    }
    template <class Flow>
    Law<Real> foam(const Flow& flow) const {
        const Foam<Real, Flow> plain{NeoHookean<Real>{K, G}, flow};
        if (!tearing.on || !(m.tear.threshold > 0)) return plain;
        return TearingFoam<Real, Flow>{plain, static_cast<Real>(m.tear.threshold),
                                       static_cast<Real>(tearing.heals ? m.tear.recovery_time : 0),
                                       tearing.limits_stress, tearing.limits_deformation};
    }
    Law<Real> neo_hookean() const {
        if (m.flow.rule == FlowRule::von_mises) return foam(von_mises());
        if (m.flow.rule == FlowRule::herschel_bulkley) return foam(herschel_bulkley());
        return foam(NoFlow{});
    }
    Law<Real> fluid() const {
        return Fluid<Real>{{K, static_cast<int>(m.elastic.fluid_exponent)},
                           static_cast<Real>(m.elastic.fluid_viscosity)};
    }
};

}  // namespace

bool is_supported(ElasticLaw elastic, FlowRule flow) {
    if (flow == FlowRule::none) return true;
    switch (elastic) {
        case ElasticLaw::fixed_corotated:
        case ElasticLaw::corotated_linear:
            return flow == FlowRule::creep;
        case ElasticLaw::neo_hookean:
            return flow == FlowRule::von_mises || flow == FlowRule::herschel_bulkley;
        case ElasticLaw::hencky:
            return true;
        case ElasticLaw::fluid:
            return false;
    }
    return false;
}

template <class Real>
Law<Real> make_law(const Material& m, const Tearing& tearing) {
    if (!is_supported(m.elastic.law, m.flow.rule)) {
        std::string rules;
        for (const std::string& word : flow_rules_of(m.elastic.law))
            rules += (rules.empty() ? "" : ", ") + word;
        const std::string law = to_string(m.elastic.law);
        throw InputError({},
                         "material " + m.name + ": a " + law +
                             " material cannot have the flow rule " + to_string(m.flow.rule),
                         law + " goes with: " + rules);
    }
    const Maker<Real> make{m, tearing};
    switch (m.elastic.law) {
        case ElasticLaw::fixed_corotated:
            return make.template corotated<FixedCorotated<Real>>();
        case ElasticLaw::corotated_linear:
            return make.template corotated<CorotatedLinear<Real>>();
        case ElasticLaw::hencky:
            return make.hencky();
        case ElasticLaw::neo_hookean:
            return make.neo_hookean();
        case ElasticLaw::fluid:
            break;
    }
    return make.fluid();
}

template Law<float> make_law<float>(const Material&, const Tearing&);
template Law<double> make_law<double>(const Material&, const Tearing&);

}  // namespace knead
