// Pictures of what the rheometer measured.
#pragma once

#include <string_view>

#include "knead/base/plot_svg.h"
#include "knead/materials/rheometer.h"

namespace knead {

// `test` is one of rheometer_tests(), `table` what it returned. Steady shear of a foam is shown
// beside its closed form.
Plot rheometer_plot(const Material& material, std::string_view test, const Table& table);

// steady-shear, start-up, relaxation, uniaxial, oscillatory.
const std::vector<std::string>& rheometer_tests();

}  // namespace knead
