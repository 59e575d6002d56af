// What a picture shows, in plain data: meshes, spheres, a ground, a light, a camera.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knead/geometry/box3.h"
#include "knead/math/vec.h"

namespace knead::render {

// Triangles with a normal and a linear colour at every vertex.
struct Mesh {
    std::vector<Vec3f> positions;
    std::vector<Vec3f> normals;
    std::vector<Vec3f> colors;
    std::vector<Vec3<std::int32_t>> faces;
    float gloss = 1;  // strength of the coat that gives highlights
    float sheen = 0;  // light that the fuzz of a fabric scatters at grazing angles
};

struct Spheres {
    std::vector<Vec3f> centers;
    std::vector<float> radii;
    std::vector<Vec3f> colors;
    float gloss = 1;
};

// Smooth tubes, piece by piece: each runs from its second to its third control point, and the first
// and last say how it bends there (Catmull-Rom).
struct Tubes {
    std::vector<Vec3f> points;  // four a piece
    std::vector<float> radii;   // as many
    std::vector<Vec3f> colors;  // two a piece, of its ends
    float gloss = 0.4f;
    float sheen = 0.3f;
};

struct Camera {
    Vec3d position{2, 1.5, 3};
    Vec3d target{0, 0.5, 0};
    Vec3d up{0, 1, 0};
    double field_of_view = 35;  // vertical [degrees]
};

// A horizontal floor that fades into the background far from what is shown.
struct Ground {
    double height = 0;           // [m]
    double fade = 10;            // distance from the middle at which the floor is gone [m]
    Vec3d middle{0, 0, 0};       // [m]
    std::optional<Vec3f> color;  // linear; nothing: as the background
};

struct Look {
    Vec3f background{0.80f, 0.83f, 0.87f};  // linear
    int width = 960;
    int height = 540;
    int samples = 16;  // rays a pixel
    std::uint64_t seed = 1;
};

// A bar of the colour map with its range and the quantity's name.
struct Legend {
    std::string title;
    double lo = 0;
    double hi = 1;
};

struct Scene {
    std::vector<Mesh> meshes;
    std::vector<Spheres> spheres;
    std::vector<Tubes> tubes{};
    Camera camera;
    std::optional<Ground> ground;
    std::optional<Legend> legend;
    Look look;
};

// A three-quarter view from slightly above that holds the boxes, those of all frames of a run.
Camera frame_boxes(const std::vector<Box3>& boxes, const Look& look);

// InputError where something is so far away, or so large, that rays cannot tell where it is.
void require_in_reach(const Scene& scene);
void require_in_reach(const Camera& camera);

}  // namespace knead::render
