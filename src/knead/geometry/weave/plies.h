// Yarn of several threads: helices around each line of a body.
#pragma once

#include "knead/geometry/weave/thin_body.h"

namespace knead {

// Each line of the body (its segments, followed from vertex to vertex through those with two
// neighbours) becomes `plies` threads that wind around it at `radius` [m], `turns` times in the
// length of a hundred radii. Vertices where lines meet stay one: the threads meet there too.
ThinBody with_plies(const ThinBody& body, int plies, double radius, double turns = 5);

// Unit vectors across a line that turn as little as possible from one vertex to the next.
std::vector<Vec3d> least_turning_normals(const std::vector<Vec3d>& line);

}  // namespace knead
