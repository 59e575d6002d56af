// Mass and volume of new particles, taken from their donors: what is there in sum stays.
// [Yue 2015, Alg. 19]
#pragma once

#include "knead/mpm/foam/resample/births.h"

namespace knead {

template <class Real>
struct ConservedValues {
    Real mass, volume;
};

// One result a birth, in order; the donors give as they go.
template <class Real>
std::vector<ConservedValues<Real>> take_conserved_values(std::vector<Phase<Real>>& phases,
                                                         const std::vector<Birth>& births);

}  // namespace knead
