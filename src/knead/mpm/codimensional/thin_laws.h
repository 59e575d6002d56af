// The laws of a material's sheets and curves, and what of the model is switched off
// [Jiang 2017, Fig. 10].
#pragma once

#include "knead/materials/codimensional/make_thin_law.h"
#include "knead/mpm/settings.h"

namespace knead {

// Calls use(law) with the law of a phase of elements.
template <class Real, class Use>
auto with_thin_law(const Material& m, ThinModel model, std::int64_t corners, const Use& use) {
    const bool contact = model != ThinModel::lagrangian_only;
    return corners == 3 ? use(make_sheet_law<Real>(m, contact))
                        : use(make_fibre_law<Real>(m, contact));
}

// Columns of d that lie along an element of this law.
template <class Real>
constexpr int tangents(const SheetLaw<Real>&) {
    return 2;
}
template <class Real>
constexpr int tangents(const FibreLaw<Real>&) {
    return 1;
}

// Of an element's volume, the share that its own particle holds: the rest is with its vertices.
inline double own_share(std::int64_t corners) { return 1.0 / static_cast<double>(corners + 1); }

// From the volume of an element's particle to the one that bears its stress.
inline double stressed_share(const Material& m, std::int64_t corners) {
    return m.thin.whole_volume ? 1 / own_share(corners) : 1;
}

}  // namespace knead
