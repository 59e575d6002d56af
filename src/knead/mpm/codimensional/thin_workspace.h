// Scratch of the sheets and curves of a scene: where the vertices of elements stand, which elements
// meet at a vertex, and the forces of the step. Made anew after rows have moved.
#pragma once

#include "knead/particles/vertex_rows.h"

namespace knead {

// One corner of an element, seen from its vertex.
struct IncidentCorner {
    std::uint32_t element;  // row
    std::uint16_t phase;
    std::uint16_t corner;
};

// A vertex in the hands of a grip, and where it will be at the end of the step.
struct HeldVertex {
    std::uint32_t row;
    std::int32_t grip;
    Vec3d place;
    bool held;  // until the grip lets go
};

template <class Real>
struct ThinPhase {
    // Of elements.
    VertexRows rows;
    Column<Real, 3> corner_force[2];  // on the second and third corner [N]
    Column<Real, 9> element_force;    // A of f_i = A grad w [N m]
    // Of vertices: entry by entry, in order of phases and rows.
    std::vector<std::uint32_t> first_corner;
    std::vector<IncidentCorner> corners;
    Column<Real, 3> vertex_force;  // [N]
    std::vector<HeldVertex> held;  // in order of rows
};

template <class Real>
struct ThinWorkspace {
    std::vector<ThinPhase<Real>> phases;  // by phase; empty where a scene has no thin bodies
    bool present() const { return !phases.empty(); }
    std::size_t bytes() const;
};

// Whether any phase belongs to a sheet or curve.
template <class Real>
bool has_thin_bodies(const std::vector<Phase<Real>>& phases);

// To be called once rows have moved.
template <class Real>
void find_corners(const std::vector<Phase<Real>>& phases, ThinWorkspace<Real>& work);

}  // namespace knead
