// Points inside a shape: on a lattice, or at random with a least distance between them. The result
// depends on the arguments alone, never on the thread count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "knead/geometry/sdf_shape.h"

namespace knead {

// Every origin + (i + 1/2) spacing with negative distance; i, j, k are integers. With spacing =
// dx/2 and the grid's own origin that is eight points to a full cell.
std::vector<Vec3d> sample_lattice(const SdfShape& shape, double spacing,
                                  const Vec3d& origin = {0, 0, 0});
// How many of them there are, without keeping any.
std::size_t count_lattice(const SdfShape& shape, double spacing);
// The volume of the shape [m3], measured in the cells of that lattice; the error goes with the
// square of the spacing.
double lattice_volume(const SdfShape& shape, double spacing);

// Poisson disks: no two points are nearer than min_distance, and hardly any place inside the shape
// is farther than that from all of them. [Ebeida 2012]
std::vector<Vec3d> sample_poisson(const SdfShape& shape, double min_distance, std::uint64_t seed);

// InputError unless the shape can be filled with points this far apart.
void check_spacing(const SdfShape& shape, double spacing);

}  // namespace knead
