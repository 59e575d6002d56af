// What contact does, on host and device alike. C is a collider frozen at one time that answers
//     distance(x), normal(x), velocity(x), contact(), friction()
// and List is anything with size() and operator[] that holds such colliders.
#pragma once

#include "knead/math/vec.h"

namespace knead {

// With v_r the velocity relative to the collider and v_n its part along the outward normal:
//   sticky     v_r becomes 0
//   slip       v_n becomes 0, coming or going
//   separate   only when approaching (v_n < 0): v_n becomes 0, and friction takes up to
//              friction |v_n| of the tangential speed
enum class Contact { sticky, slip, separate };

// Nodes this near to a collider, in cells, are in it: a face on a plane of nodes holds all of them,
// however their places are rounded.
inline constexpr double node_reach = 1e-6;

// The velocity that contact with c leaves to something at x, given the outward normal there.
template <class C>
CPU_GPU inline Vec3d resolve_contact(const C& c, const Vec3d& v, const Vec3d& x,
                                     const Vec3d& normal) {
    const Vec3d v_o = c.velocity(x);
    if (c.contact() == Contact::sticky) return v_o;
    const Vec3d v_r = v - v_o;
    const double v_n = dot(v_r, normal);
    const Vec3d v_t = v_r - v_n * normal;
    if (c.contact() == Contact::slip) return v_o + v_t;
    if (v_n >= 0) return v;
    // Coulomb: the tangential speed loses friction |v_n|, and sticks when that is all of it.
    const double speed = length(v_t), loss = -c.friction() * v_n;
    return speed <= loss ? v_o : v_o + (1 - loss / speed) * v_t;
}

// Contact with every collider that x is in or within `reach` of, in order, the deepest one last.
template <class List>
CPU_GPU inline Vec3d resolve_contacts(const List& colliders, const Vec3d& v, const Vec3d& x,
                                      double reach = 0) {
    const auto n = colliders.size();
    auto deepest = n;
    double least = 0;
    Vec3d result = v;
    // Each time a deeper one is met, the one held back so far takes its turn.
    for (auto i = n - n; i < n; ++i) {
        const double d = colliders[i].distance(x);
        if (d > reach) continue;
        auto now = i;
        if (deepest == n || d < least) {
            now = deepest;
            deepest = i, least = d;
        }
        if (now != n) result = resolve_contact(colliders[now], result, x, colliders[now].normal(x));
    }
    if (deepest == n) return result;
    return resolve_contact(colliders[deepest], result, x, colliders[deepest].normal(x));
}

// A point inside colliders, moved to where it is inside none: out of the deepest one, a few times.
template <class List>
CPU_GPU inline Vec3d push_out(const List& colliders, const Vec3d& x) {
    const auto n = colliders.size();
    Vec3d p = x;
    for (int round = 0; round < 16; ++round) {
        auto deepest = n;
        double least = 0;
        for (auto i = n - n; i < n; ++i) {
            const double d = colliders[i].distance(p);
            if (d < least) least = d, deepest = i;
        }
        if (deepest == n) break;
        // a hair outside, whatever the rounding
        p += (1e-12 - least) * colliders[deepest].normal(p);
    }
    return p;
}

}  // namespace knead
