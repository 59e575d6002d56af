#include "knead/points/stretch_law.h"

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
    template <class Other>
    bool operator()(const Other&) const {
        return false;
    }
};

}  // namespace

template <class Real>
StretchLaw<Real> make_stretch_law(const Material& material) {
    StretchLaw<Real> result;
    if (!std::visit(FromLaw<Real>{result}, make_law<Real>(material)))
        throw InputError(Place{"material " + material.name},
                         "point methods cannot take this material",
                         "they take corotated-linear, fixed-corotated and hencky solids, with "
                         "creep or without flow");
    result.density = static_cast<Real>(material.density);
    const Elastic& e = material.elastic;
    result.wave_speed =
        std::sqrt((e.bulk_modulus + 4.0 / 3.0 * e.shear_modulus) / material.density);
    return result;
}

template StretchLaw<float> make_stretch_law(const Material&);
template StretchLaw<double> make_stretch_law(const Material&);

}  // namespace knead
