#include "knead/materials/stretch_law.h"

#include <cmath>

#include "knead/base/error.h"

namespace knead {

namespace {

template <class Real>
struct FromLaw {
    StretchLaw<Real>& result;

    template <class Elastic>
    bool operator()(const PolarSolid<Real, Elastic>& law) const {
        result.elastic = law.elastic;
        return true;
    }
    template <class Elastic>
    bool operator()(const CreepSolid<Real, Elastic>& law) const {
        result.elastic = law.elastic;
        result.flow = law.flow;
        return true;
    }
    bool operator()(const HenckySolid<Real, NoFlow>& law) const {
        result.elastic = law.elastic;
        return true;
    }
    bool operator()(const Foam<Real, NoFlow>& law) const {
        result.elastic = CrushableNeoHookean<Real>{law.elastic};
        return true;
    }
    template <class Flow>
    bool operator()(const HenckySolid<Real, Flow>& law) const {
        result.elastic = law.elastic;
        return radial(law.flow);
    }
    template <class Flow>
    bool operator()(const Foam<Real, Flow>& law) const {
        result.elastic = CrushableNeoHookean<Real>{law.elastic};
        result.flows_by_b = true;
        return radial(law.flow);
    }
    template <class Other>
    bool operator()(const Other&) const {
        return false;
    }

private:
    bool radial(const VonMises<Real>& rule) const {
        return radial(HerschelBulkley<Real>{rule.yield_radius, Real(0), Real(1)});
    }
    // Radial flow keeps volume, however large its change.
    bool radial(const HerschelBulkley<Real>& rule) const {
        constexpr Real never = Real(1e6);
        result.flow = Creep<Real>{.yield_stress = rule.yield_radius,
                                  .rate = Real(1),
                                  .interval = Real(0),
                                  .hardening = Real(0),
                                  .divided = false,
                                  .volume_low = never,
                                  .volume_high = 2 * never,
                                  .negligible = Real(0)};
        result.radial = rule;
        return true;
    }
};

}  // namespace

template <class Real>
StretchLaw<Real> make_stretch_law(const Material& material) {
    StretchLaw<Real> result;
    if (!std::visit(FromLaw<Real>{result}, make_law<Real>(material)))
        throw InputError(Place{"material " + material.name},
                         "point methods cannot take this material",
                         "they take solids without flow, with creep, and hencky and neo-hookean "
                         "ones with von-mises or herschel-bulkley");
    result.density = static_cast<Real>(material.density);
    const Elastic& e = material.elastic;
    result.shear_modulus = static_cast<Real>(e.shear_modulus);
    result.wave_speed =
        std::sqrt((e.bulk_modulus + 4.0 / 3.0 * e.shear_modulus) / material.density);
    return result;
}

template StretchLaw<float> make_stretch_law(const Material&);
template StretchLaw<double> make_stretch_law(const Material&);

}  // namespace knead
