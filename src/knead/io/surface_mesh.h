// The skin of a frame: triangles with normals, and what each vertex takes from the particles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "knead/io/frame.h"
#include "knead/math/vec.h"

namespace knead {

// What a scene calls a body, and what it is made of.
struct BodyLabel {
    std::string name, material;
};

struct SurfaceMesh {
    int frame = 0;
    double time = 0;  // [s]
    std::vector<Vec3f> positions;
    std::vector<Vec3f> normals;             // unit, outward; one a vertex
    std::vector<std::int32_t> body;         // one a vertex
    std::vector<Vec3f> colors;              // linear 0..1; one a vertex, or none
    std::vector<FrameColumn> columns;       // carried over from the particles
    std::vector<Vec3<std::int32_t>> faces;  // counter-clockwise seen from outside
    std::vector<BodyLabel> labels;          // of bodies by index; none where nobody knows them
};

}  // namespace knead
