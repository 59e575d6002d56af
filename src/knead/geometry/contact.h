// What contact does, on host and device alike. C is a collider frozen at one time that answers
//     distance(x), normal(x), velocity(x), contact(), friction(), adhesion()
// and List is anything with size() and operator[] that holds such colliders.
#pragma once

#include "knead/math/vec.h"

namespace knead {

// With v_r the velocity relative to the collider and v_n its part along the outward normal:
//   sticky     v_r becomes 0
//   slip       v_n becomes 0, coming or going
//   separate   only when approaching (v_n < 0): v_n becomes 0, and friction takes up to
//              friction |v_n| of the tangential speed; with adhesion, leaving takes a pull
enum class Contact { sticky, slip, separate };

// Nodes this near to a collider, in cells, are in it: a face on a plane of nodes holds all of them,
// however their places are rounded.
inline constexpr double node_reach = 1e-6;

// How contact acts on a node of a grid, or, as it is by default, on a particle.
struct ContactReach {
    double near = 0;    // what is this near to a collider is in it [m]
    double sticky = 0;  // and this near to a sticky one, which then holds it [m]
    double cell = 0;    // width of the layer along the surface that adhesion holds; 0: none [m]
    double pull = 0;  // speed that a pull of 1 Pa on a node's share of the surface gives it, there

    // How near a collider must be to act.
    template <class C>
    CPU_GPU double of(const C& c) const {
        if (c.contact() == Contact::sticky) return sticky > near ? sticky : near;
        return c.adhesion() > 0 && cell > near ? cell : near;
    }
};

// What Coulomb's friction leaves of a sliding velocity: it takes up to `loss` of its size.
CPU_GPU inline Vec3d after_friction(const Vec3d& slide, double loss) {
    const double speed = length(slide);
    return speed <= loss ? Vec3d{0, 0, 0} : (1 - loss / speed) * slide;
}

// The velocity that contact with c leaves to something at x, given the outward normal there. A node
// outside of a sticky collider may still come nearer.
template <class C>
CPU_GPU inline Vec3d resolve_contact(const C& c, const Vec3d& v, const Vec3d& x,
                                     const Vec3d& normal, double distance = 0,
                                     const ContactReach& reach = {}) {
    const Vec3d v_o = c.velocity(x);
    const bool outside = distance > reach.near;
    if (c.contact() == Contact::sticky && !outside) return v_o;
    const Vec3d v_r = v - v_o;
    const double v_n = dot(v_r, normal);
    const Vec3d v_t = v_r - v_n * normal;
    if (c.contact() == Contact::sticky) return v_n < 0 ? v_o + v_n * normal : v_o;
    if (c.contact() == Contact::slip) return v_o + v_t;
    // The shares of the nodes across a surface add up to one.
    const double away = distance < 0 ? -distance : distance;
    const double share = away < reach.cell ? 1 - away / reach.cell : 0;
    const double holds = reach.pull * share * c.adhesion();
    if (v_n >= holds) return v - holds * normal;
    if (outside && v_n < 0) return v;
    return v_o + after_friction(v_t, c.friction() * (holds - v_n));
}

// Contact with every collider that x is in or within reach of, in order, the deepest one last.
template <class List>
CPU_GPU inline Vec3d resolve_contacts(const List& colliders, const Vec3d& v, const Vec3d& x,
                                      const ContactReach& reach = {}) {
    const auto n = colliders.size();
    auto deepest = n;
    double least = 0;
    Vec3d result = v;
    const auto resolve = [&](auto i, double d) {
        result = resolve_contact(colliders[i], result, x, colliders[i].normal(x), d, reach);
    };
    // Each time a deeper one is met, the one held back so far takes its turn.
    for (auto i = n - n; i < n; ++i) {
        const double d = colliders[i].distance(x);
        if (d > reach.of(colliders[i])) continue;
        if (deepest == n || d < least) {
            if (deepest != n) resolve(deepest, least);
            deepest = i, least = d;
        } else {
            resolve(i, d);
        }
    }
    if (deepest != n) resolve(deepest, least);
    return result;
}

// Whether x is in a sticky collider, deeper than in others: it then stays where it is in it.
template <class List>
CPU_GPU inline bool is_held(const List& colliders, const Vec3d& x) {
    const auto n = colliders.size();
    double least = 0;
    bool held = false;
    for (auto i = n - n; i < n; ++i) {
        const double d = colliders[i].distance(x);
        if (d < least) least = d, held = colliders[i].contact() == Contact::sticky;
    }
    return held;
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
