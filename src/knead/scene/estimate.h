// What a scene will take: particles, memory and disk, from the volumes of its shapes, before a
// single particle is made.
#pragma once

#include "knead/geometry/sdf_shape.h"
#include "knead/scene/scene.h"

namespace knead {

// A body's shape, and the part of it that is filled more densely, if any.
struct BodyShape {
    SdfShape shape;
    SdfShape refined;
};

struct Estimate {
    std::vector<double> volumes;    // of the bodies' shapes [m3]
    std::vector<double> particles;  // by body, with all that is to come in the scene's time
    double memory = 0;      // at the busiest moment of a run, colliders' meshes aside [bytes]
    double frame = 0;       // one frame on the disk [bytes]
    double checkpoint = 0;  // one checkpoint in the middle of a frame [bytes]
    double disk = 0;        // all frames and the checkpoints that are kept [bytes]

    double particle_count() const;
};

// One entry of `shapes` a body.
Estimate estimate(const Scene& scene, const std::vector<BodyShape>& shapes);

// Memory and disk from the counts of particles, which are corrected where they are known.
void add_up(const Scene& scene, Estimate& estimate);

// As many particles as fit into so much memory, and as can be numbered.
double particles_that_fit(const Scene& scene, double available);

// What is wrong with that on a machine with so much memory left: a mistake at solver.dx, or at the
// spacing of a body, that says which value would fit.
std::vector<Mistake> memory_mistakes(const Scene& scene, const Estimate& estimate,
                                     double available);

// Warns of runs that fill disks: those with very many frames, and those that take more than is free
// (below 0: not known).
std::vector<Mistake> disk_warnings(const Scene& scene, const Estimate& estimate, double available);

}  // namespace knead
