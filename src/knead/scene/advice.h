// What would make a run faster, and by how much.
#pragma once

#include "knead/sim/preflight.h"

namespace knead {

struct Advice {
    std::string what;  // such as "a fourth of elastic.bulk_modulus of cream"
    double gain = 1;   // the number of steps falls by this factor
};

// By what limits the step, the greatest gain first; what gains less than a tenth is left out.
std::vector<Advice> advice(const Model& model, const std::vector<DtLimit>& limits);

}  // namespace knead
