// Which nodes sticky walls at their surface bind, and to which free ones, on host and device alike.
// Lists of colliders are those of contact.h.
#pragma once

#include "knead/geometry/contact.h"

namespace knead {

// Nodes nearer than this to a sticky wall are bound [cells].
inline constexpr double bound_within = 0.75;
// How far out the free node may stand from the bound one, along an axis [nodes].
inline constexpr int farthest_free = 5;
// Free nodes are the first that no wall binds on their line, so no farther from it [cells].
inline constexpr double free_within = bound_within + 1;

CPU_GPU inline double binding_reach(double dx) { return bound_within * dx * (1 - node_reach); }

// The number of the nearest sticky wall, if it binds what is at x; -1: none does.
template <class List>
CPU_GPU inline int binding_wall(const List& walls, const Vec3d& x, double within,
                                double& distance) {
    const auto n = walls.size();
    int nearest = -1;
    distance = within;
    for (auto i = n - n; i < n; ++i) {
        if (walls[i].contact() != Contact::sticky) continue;
        const double d = walls[i].distance(x);
        if (d < distance) distance = d, nearest = static_cast<int>(i);
    }
    return nearest;
}

// The node to which a bound one is bound, if there is one.
struct FreeNode {
    bool there = false;
    Vec3i at{};       // its place [nodes]
    int axis = 0;     // along which it stands from the bound one,
    int steps = 0;    // by so many nodes, with its sign
    double away = 0;  // from the wall [m]
};

// Out along the axis that is most across the wall, to the first node that no wall binds. holds(at)
// says whether a node holds matter.
template <class Wall, class List, class Holds>
CPU_GPU inline FreeNode free_node_of(const Wall& wall, const List& all, const Vec3i& at, double dx,
                                     const Holds& holds) {
    const double reach = binding_reach(dx);
    const Vec3d n = wall.normal(dx * static_cast<Vec3d>(at));
    FreeNode free;
    for (int a = 1; a < 3; ++a)
        if ((n[a] < 0 ? -n[a] : n[a]) > (n[free.axis] < 0 ? -n[free.axis] : n[free.axis]))
            free.axis = a;
    free.at = at;
    for (int k = 1; k <= farthest_free; ++k) {
        free.steps = n[free.axis] < 0 ? -k : k;
        free.at[free.axis] = at[free.axis] + free.steps;
        const Vec3d x = dx * static_cast<Vec3d>(free.at);
        free.away = wall.distance(x);
        if (free.away < reach) continue;
        double other;
        free.there = holds(free.at) && binding_wall(all, x, reach, other) < 0;
        break;
    }
    return free;
}

}  // namespace knead
