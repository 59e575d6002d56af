// Particles for the bodies of a scene, and whether they stand in each other's way.
#pragma once

#include "knead/geometry/sdf_shape.h"
#include "knead/scene/scene.h"

namespace knead {

struct Fill {
    SdfShape shape;
    std::vector<Vec3d> points;
    double volume;                  // of each particle [m3]
    SdfShape refined{};             // where particles stand closer, or empty
    std::vector<double> volumes{};  // one a particle, where they differ

    double volume_of(std::size_t i) const { return volumes.empty() ? volume : volumes[i]; }
    double total() const {
        double sum = 0;
        for (std::size_t i = 0; i < points.size(); ++i) sum += volume_of(i);
        return sum;
    }
};

// Lattice particles stand in step with the grid and hold spacing^3 each; random ones share the
// volume of the shape.
void fill(Fill& fill, const Scene& scene, std::size_t body);
// Fitted lattice particles share the volume of the shape, too, so that a body weighs what it should
// wherever its faces cut the lattice. Where they lie between its planes nothing changes, to the
// bit.
void share_volume(Fill& fill, const Scene& scene, std::size_t body);

Vec3d middle_of(const std::vector<Vec3d>& points);

// Bodies inside colliders or inside each other at the start.
void check_overlaps(const Scene& scene, const Model& model, const std::vector<Fill>& fills,
                    std::vector<Mistake>& mistakes, std::vector<Mistake>& warnings);

}  // namespace knead
