// Is a mesh fit to bound a volume? What is wrong with it, in numbers.
#pragma once

#include <cstddef>
#include <vector>

#include "knead/geometry/mesh.h"

namespace knead {

struct MeshReport {
    std::size_t vertices = 0;
    std::size_t triangles = 0;
    std::size_t degenerate_triangles = 0;  // of zero area
    std::size_t boundary_edges = 0;        // used an odd number of times: the rims of holes
    std::size_t nonmanifold_edges = 0;     // used more than twice
    std::size_t misoriented_edges = 0;     // used twice, both times in the same direction

    bool closed() const { return boundary_edges == 0; }
    bool manifold() const { return nonmanifold_edges == 0; }
    bool oriented() const { return misoriented_edges == 0; }
};

// By vertex indices: weld first when a file stores vertices more than once.
MeshReport check_mesh(const Mesh& mesh);

// The rims of the holes, each a ring of vertices, in the direction a filling would use them.
std::vector<std::vector<int>> boundary_loops(const Mesh& mesh);
// Closes every hole with a fan from the middle of its rim.
Mesh with_holes_filled(const Mesh& mesh);

// Pairs of triangles that pass through each other and share no vertex, counted up to `most`.
std::size_t count_crossings(const Mesh& mesh, std::size_t most = 1000);

}  // namespace knead
