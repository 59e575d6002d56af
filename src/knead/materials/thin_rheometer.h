// The rheometer of sheets and fibres: one element without a grid, in small steps, with its return
// map. Stresses are Cauchy's, tension positive; strains are parts of the length at rest.
#pragma once

#include "knead/materials/rheometer.h"

namespace knead {

enum class ThinKind { sheet, fibre };

// What the material is for: a sheet where it has a compression stiffness.
ThinKind thin_kind(const Material& material);
// Its tests by name: pull, shear, compress.
const std::vector<std::string>& thin_tests();

// Lengthwise; a sheet's sides are free. Columns: strain, axial_stress, lateral_stretch.
Table pull_thin(const Material& material, ThinKind kind, double strain);
// Pressed from both sides; fibres from all around. Columns: compression, normal_stress.
Table compress_thin(const Material& material, ThinKind kind, double compression);
// Pressed, then its normal sheared against it (along a fibre): friction gives way.
// Columns: shear, shear_stress, normal_stress.
Table shear_thin(const Material& material, ThinKind kind, double shear, double pressure);

// A pressure that friction is felt at: a hundredth of the stiffness of contact [Pa].
double usual_pressure(const Material& material, ThinKind kind);

}  // namespace knead
