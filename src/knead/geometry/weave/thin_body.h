// A body without volume: vertices joined by triangles (cloth), segments (yarn, hair) or both
// (a carpet). Generators in this folder make them; pins take hold of their groups.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "knead/math/vec.h"

namespace knead {

struct ThinBody {
    std::vector<Vec3d> vertices;  // where they start [m]
    std::vector<Vec3d> rest;      // where nothing strains; empty: where they start
    std::vector<std::array<int, 3>> triangles;
    std::vector<std::array<int, 2>> segments;
    std::vector<std::array<float, 6>> uv;  // texture coordinates of triangles; empty: none
    std::map<std::string, std::vector<int>> groups;  // vertices by name, such as "top"

    const Vec3d& vertex(int i) const { return vertices[static_cast<std::size_t>(i)]; }
    const Vec3d& at_rest(int i) const {
        return (rest.empty() ? vertices : rest)[static_cast<std::size_t>(i)];
    }
    int add(const Vec3d& x) {
        vertices.push_back(x);
        return static_cast<int>(vertices.size()) - 1;
    }
    // A line of new segments through these vertices.
    void join(const std::vector<int>& line) {
        for (std::size_t i = 1; i < line.size(); ++i) segments.push_back({line[i - 1], line[i]});
    }
};

// Lengths of edges and segments at rest [m].
struct EdgeLengths {
    double shortest = 0, mean = 0, longest = 0;
};
EdgeLengths edge_lengths(const ThinBody& body);

// Adds b's vertices, elements and groups after a's.
void append(ThinBody& a, const ThinBody& b);

// Throws InputError, naming the body: indices out of range, elements that use a vertex twice or
// have no size at rest, edges that more than two triangles share, vertices that nothing uses.
void check_thin_body(const ThinBody& body, const std::string& name);

}  // namespace knead
