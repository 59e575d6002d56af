// Where a sheet or curves bend: edges between two triangles, vertices between two segments.
#pragma once

#include <cstdint>

#include "knead/geometry/weave/thin_body.h"

namespace knead {

// Corners as HingeBend and JointBend (materials/codimensional/bending.h) have them; `rest` is their
// measure in the rest shape. Times the bending stiffness of the matter, `weight` is the stiffness.
template <std::size_t N>
struct Bend {
    std::array<int, N> vertex;
    double rest;
    double weight;
    std::array<double, N> slope;  // how fast the measure grows with each corner, at rest [1/m]
};

// Every edge that two triangles share. With the weight |e|^2 / A, A the area of both, a sheet bent
// to a cylinder stores D kappa^2 / 2 an area, exactly so where the cylinder runs along the mesh
// and, on average over directions, in equilateral triangles.
std::vector<Bend<4>> find_hinges(const ThinBody& body);

// Every vertex that joins a segment to the next one of the list, or that just two segments share;
// weight: one over half their length. Where lines are welded each bends for itself.
std::vector<Bend<3>> find_joints(const ThinBody& body);

// Those of one body of a scene. A run never changes them: vertices are named by id, and stiffness
// is in place of weight.
struct Bending {
    int material = 0;
    std::int64_t first_id = 0;  // of the body's vertex 0
    std::vector<Bend<4>> hinges;
    std::vector<Bend<3>> joints;
    double frequency = 0;  // a bound on how fast its vertices swing by bending [rad/s]
};

// `hinge` is the bending stiffness of the sheet [N m], `joint` that of the curves [N m2]; `mass`
// that of every vertex [kg].
Bending make_bending(const ThinBody& body, double hinge, double joint,
                     const std::vector<double>& mass);

}  // namespace knead
