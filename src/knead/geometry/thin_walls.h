// Walls too thin for a step: a particle is kept on the side that it comes from, on host and device
// alike. Lists of colliders are those of contact.h.
#pragma once

#include "knead/geometry/contact.h"

namespace knead {

// Where the material of c that is at x when the step begins stands at its end, which c is frozen
// at.
template <class C>
CPU_GPU inline Vec3d carried_by(const C& c, const Vec3d& x, double dt) {
    return x + dt * c.velocity(x + (0.5 * dt) * c.velocity(x));
}

// How far the nearest collider is that may come by in a step; negative inside.
template <class List>
CPU_GPU inline double clearance_in_step(const List& colliders, const Vec3d& x, double dt) {
    const auto n = colliders.size();
    double least = 1e30;
    for (auto i = n - n; i < n; ++i) {
        const Vec3d drift = dt * colliders[i].velocity(x);
        const double d = colliders[i].distance(x) - length(drift);
        if (d < least) least = d;
    }
    return least;
}

struct Wall {
    Vec3d place, normal;
};

// Whether the way from `from` to `to` goes through c from outside, by spheres of clearance. One
// that begins a little inside begins on the surface nearest to it, one that is deeper has no side.
template <class C>
CPU_GPU inline bool meets(const C& c, const Vec3d& from, const Vec3d& to, double cell, Wall& wall) {
    const Vec3d way = to - from;
    const double span = length(way), touch = 1e-6 * cell;
    if (!(span > 0)) return false;
    double gone = 0;
    for (int k = 0; k < 64 && gone < span; ++k) {
        wall.place = from + (gone / span) * way;
        const double d = c.distance(wall.place);
        if (d < (k == 0 ? -0.1 * cell : -touch)) return false;
        if (d < touch) {
            wall.normal = c.normal(wall.place);
            if (dot(wall.normal, way) < 0) {
                wall.place += (touch - d) * wall.normal;
                return true;
            }
            gone += 0.05 * span;  // along it, or away
        } else {
            gone += d;
        }
    }
    return false;
}

// A place next to where a wall was met, or in a wall that curves into the way: on its surface, if
// that is the same side. Else what slides would stay where it met the wall and keep its speed.
template <class C>
CPU_GPU inline Vec3d along_wall(const C& c, const Wall& wall, const Vec3d& to, double cell) {
    const double d = c.distance(to), touch = 1e-6 * cell;
    if (d >= touch) return to;
    const Vec3d out = c.normal(to);
    return dot(out, wall.normal) > 0.5 ? to + (touch - d) * out : to;
}

// Stops a particle at thin walls, those that have less than about a cell of matter behind the place
// where it would enter: its velocity v and the place `to` that it goes to from x. Thick ones leave
// it to contact on nodes and to push_out. Returns whether it was stopped.
template <class List>
CPU_GPU inline bool stop_at_thin_walls(const List& colliders, double cell, double dt,
                                       const Vec3d& x, Vec3d& v, Vec3d& to) {
    const auto n = colliders.size();
    bool stopped = false;
    Vec3d place = to;
    for (int round = 0; round < 2; ++round)
        for (auto i = n - n; i < n; ++i) {
            const auto& c = colliders[i];
            const Vec3d from = carried_by(c, x, dt);
            Wall wall;
            if (!meets(c, from, to, cell, wall)) continue;
            if (c.distance(wall.place - cell * wall.normal) < -0.5 * cell) continue;
            const double left = length(to - wall.place) / length(to - from);
            v = resolve_contact(c, v, wall.place, wall.normal);
            const Vec3d slide = v - c.velocity(wall.place);
            // at a corner of two walls there is no way on
            to = round > 0 ? wall.place
                           : along_wall(c, wall, wall.place + (left * dt) * slide, cell);
            place = wall.place;
            stopped = true;
        }
    // where a curved wall rises into the way along it, it stays where it met the wall
    for (auto i = n - n; stopped && i < n; ++i)
        if (colliders[i].distance(to) < 0) to = place;
    return stopped;
}

}  // namespace knead
