// A mesh that the particles carry along, so that its detail survives: any mesh around the particles
// of a first frame, moved to where they are in later ones.
//   carry_mesh        by the mean displacement of the particles that were near each vertex at the
//                     first frame [Jones 2014, section 4.4]; good where little flows
//   EmbeddedCarrier   in embedded space, where vertices flow along with the matter and take to the
//                     world with the particles that are near them now
#pragma once

#include "knead/io/frame.h"
#include "knead/io/surface_mesh.h"

namespace knead {

// `radius` is how far a vertex looks for particles [m].
SurfaceMesh carry_mesh(const SurfaceMesh& mesh, const Frame& first, const Frame& now,
                       double radius);

class EmbeddedCarrier {
public:
    // The mesh surrounds the particles of `first`, in the world. Frames of other methods have no
    // embedded space: InputError.
    EmbeddedCarrier(SurfaceMesh mesh, const Frame& first, double radius);
    // The mesh at a frame; frames come in the order of time.
    SurfaceMesh next(const Frame& frame);

private:
    SurfaceMesh mesh_;
    Frame previous_;
    double radius_;
    std::vector<Vec3d> embedded_;  // vertices in embedded space
};

// A frame with embedded positions in place of those in the world.
Frame in_embedded_space(const Frame& frame);

// Three spacings of the coarsest particles [m].
double carry_radius(const Frame& frame);

}  // namespace knead
