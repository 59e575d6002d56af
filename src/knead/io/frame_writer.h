// Particles to frame files: binary little-endian PLY, rows sorted by particle id, so that a file
// does not depend on how the particles lie in memory.
#pragma once

#include <string>
#include <vector>

#include "knead/io/frame.h"
#include "knead/particles/phase.h"

namespace knead {

struct FrameInfo {
    int frame = 0;
    double time = 0;                     // [s]
    std::vector<double> pscale_of_body;  // particle radius by body: half the spacing [m]
    std::vector<ColliderPose> colliders{};
};

// All phases in one table: x y z vx vy vz id pscale body, then every other io column. A column that
// only some phases have is zero in the others. Rows of phases of elements are no rows of that
// table: they are the frame's triangles and segments, with their body and every other io column but
// id, place, velocity, mass and volume.
template <class Real>
Frame make_frame(const std::vector<Phase<Real>>& phases, const FrameInfo& info);

// Whole or not at all: RunError where the disk does not take it. Poses of colliders stand in
// comments, `comment collider NAME position[3] rotation[9]`, the rotation row by row. Triangles are
// the element `face` (vertex_indices, texcoord), segments the element `edge` (vertex1, vertex2).
void write_frame(const std::string& path, const Frame& frame);

template <class Real>
void write_frame(const std::string& path, const std::vector<Phase<Real>>& phases,
                 const FrameInfo& info) {
    write_frame(path, make_frame(phases, info));
}

}  // namespace knead
