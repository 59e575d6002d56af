// Scenery inside a solve: what it fixes of a particle's displacement over the step, and what that
// takes. A solve uses it like this:
//     const auto fixed = surroundings.constraints(phases, predicted, reach);
//     ... solve, with every row's displacement within what its constraint leaves free ...
//     surroundings.reactions(fixed, impulses);
// Constraints whose reaction would have to pull are left out of the next step: whoever solves keeps
// the reaction in the column `reaction`.
#pragma once

#include <span>
#include <vector>

#include "knead/math/mat.h"

namespace knead {

// Up to three directions at right angles, and how far the particle goes along each.
struct Constraint {
    std::uint32_t phase = 0, row = 0;
    int count = 0;          // of directions
    int blocked = 0;        // of these, the first ones, those that obstacles block; others stick
    Vec3d along[3]{};       // unit vectors
    double distance[3]{};   // [m]
    Vec3d normal{0, 0, 0};  // out of the obstacle; 0 for grips
    Vec3d drift{0, 0, 0};   // of the obstacle there, over the step [m]
    Vec3d arm{0, 0, 0};     // from the centre of a pushed body [m]
    double friction = 0;    // Coulomb
    int collider = -1;      // -1: a grip
    bool parts = false;     // ends where it would have to pull
    Vec3d rub{0, 0, 0};     // dt times the impulse of friction on what slides [kg m]

    // Whether Coulomb's law decides what it does along the obstacle.
    bool rubs() const { return collider >= 0 && friction > 0 && blocked < 3; }
    bool sticks() const { return count > blocked; }

    // What it fixes.
    Vec3d fixed() const {
        Vec3d d{0, 0, 0};
        for (int k = 0; k < count; ++k) d += distance[k] * along[k];
        return d;
    }
    // The part of a vector within the fixed directions.
    Vec3d within(const Vec3d& v) const {
        Vec3d d{0, 0, 0};
        for (int k = 0; k < count; ++k) d += dot(v, along[k]) * along[k];
        return d;
    }
    // One more direction, as far as it is not fixed already.
    void add(const Vec3d& n, double d) {
        if (count == 3) return;
        Vec3d rest = n;
        for (int k = 0; k < count; ++k) {
            const double c = dot(n, along[k]);
            rest -= c * along[k];
            d -= c * distance[k];
        }
        const double size = length(rest);
        if (size < 0.1) return;
        along[count] = rest / size;
        distance[count++] = d / size;
    }
    // Goes with the obstacle, besides what that blocks.
    void stick() {
        for (int a = 0; a < 3 && count < 3; ++a) {
            Vec3d e{0, 0, 0};
            e[a] = 1;
            e -= within(e);
            if (length_squared(e) < 0.3) continue;
            along[count] = e / length(e);
            distance[count] = dot(along[count], drift);
            ++count;
        }
        rub = {0, 0, 0};
    }
    void slide() { count = blocked; }
    // All of it.
    void fix(const Vec3d& displacement) {
        count = 3;
        for (int k = 0; k < 3; ++k) {
            along[k] = {0, 0, 0};
            along[k][k] = 1;
            distance[k] = displacement[k];
        }
    }
};

// A collider that matter pushes, over one step: it goes as its free motion has it and, besides, by
// `shift` and `turn` about its centre, which a solve finds.
struct PushedBody {
    int collider = 0;
    double mass = 0;       // [kg]
    Mat3d inertia;         // about its centre, in the world [kg m2]
    Vec3d guide{0, 0, 0};  // slides along this direction only; 0: free
};

}  // namespace knead
