// A test of the rheometer as a person asks for it: a material by its name, and what is usual where
// they say nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knead/materials/rheometer.h"

namespace knead {

struct RheometerRequest {
    std::string name;              // a preset, or a scene file
    std::string material;          // which of the scene's; "": its only one
    std::vector<std::string> set;  // "key=value", as in flow.yield_stress=50
    std::string test;              // "": steady-shear, or pull for sheets and curves
    std::string kind;              // of thin materials: sheet or fibre; "": by their parameters
    std::string method = "mpm";    // whose law
    std::vector<double> rates, frequencies;            // [1/s]; empty: as usual
    std::optional<double> strain, duration, pressure;  // [1], [s], [Pa]
};

struct RheometerResult {
    Material material;
    std::string test;
    Table table;
};

// InputError where there is no such material, test or parameter, or a number makes no sense.
RheometerResult run_rheometer(const RheometerRequest& request);

}  // namespace knead
