// Resistance to bending, which the method of [Jiang 2017] names as missing. A hinge is an edge with
// the two triangles beside it, a joint a vertex with the two segments that meet there. Both store
//     stiffness / 2 (s - rest)^2,
// where s is the length by which the unit vector across (hinge) or along (joint) differs from one
// side to the other: 2 sin(angle / 2), the angle itself where it is small. It is smooth and
// bounded: what is folded flat stays finite. Edges are those from corner 0 to the others; forces
// are on the others, and corner 0 takes what balances them.
#pragma once

#include "knead/math/mat.h"

namespace knead {

// Corners 0 and 1 are the edge, 2 and 3 the far corners of its triangles (0, 1, 2) and (1, 0, 3).
// s is positive where the sheet is hollow on the side that its normals point to.
struct HingeBend {
    static constexpr int corners = 4;

    template <class T>
    struct Fold {
        T s, half_cosine;  // 2 sin and cos of half the angle
        Vec3<T> slope[3];  // of the angle, by the corners 1 to 3
    };

    template <class T>
    CPU_GPU static Fold<T> fold(const Vec3<T> (&edge)[3]) {
        const Vec3<T>& e = edge[0];
        const T e2 = length_squared(e), long_side = sqrt(e2);
        const Vec3<T> n1 = cross(e, edge[1]), n2 = cross(edge[2], e);
        // triangles that are crushed to lines turn no faster than this
        const T least = T(Element<T>(1e-3)) * e2;
        const T a1 = max(length(n1), least), a2 = max(length(n2), least);
        const Vec3<T> u1 = (T(1) / a1) * n1, u2 = (T(1) / a2) * n2;
        Fold<T> f;
        const T size = length(u1 - u2);
        f.s = select(dot(cross(u1, u2), e) < T(0), size, -size);
        f.half_cosine = T(Element<T>(0.5)) * length(u1 + u2);
        f.slope[1] = (long_side / a1) * u1;
        f.slope[2] = (long_side / a2) * u2;
        const T t1 = dot(edge[1], e) / e2, t2 = dot(edge[2], e) / e2;
        f.slope[0] = -(t1 * f.slope[1] + t2 * f.slope[2]);
        return f;
    }
    template <class T>
    CPU_GPU static T measure(const Vec3<T> (&edge)[3]) {
        return fold(edge).s;
    }
    template <class T>
    CPU_GPU static void forces(const Vec3<T> (&edge)[3], const T& rest, const T& stiffness,
                               Vec3<T> (&force)[3]) {
        const Fold<T> f = fold(edge);
        const T moment = -stiffness * (f.s - rest) * f.half_cosine;
        for (int k = 0; k < 3; ++k) force[k] = moment * f.slope[k];
    }
    // Gauss and Newton's part of the change of the forces: symmetric, and never adds energy.
    template <class T>
    CPU_GPU static void differential(const Vec3<T> (&edge)[3], const Vec3<T> (&change)[3],
                                     const T& /*rest*/, const T& stiffness, Vec3<T> (&force)[3]) {
        const Fold<T> f = fold(edge);
        T turn = T(0);
        for (int k = 0; k < 3; ++k) turn = turn + dot(f.slope[k], change[k]);
        const T moment = -stiffness * f.half_cosine * f.half_cosine * turn;
        for (int k = 0; k < 3; ++k) force[k] = moment * f.slope[k];
    }
};

// Corners 0, 1, 2 along the curve. Only how much it bends counts, not which way: there is no twist.
struct JointBend {
    static constexpr int corners = 3;

    template <class T>
    struct Kink {
        Vec3<T> before, after;  // unit vectors
        T inverse_before, inverse_after;
        Vec3<T> k;  // after - before
        T s;
    };

    template <class T>
    CPU_GPU static Kink<T> kink(const Vec3<T> (&edge)[2]) {
        const Vec3<T> b = edge[1] - edge[0];
        Kink<T> c;
        c.inverse_before = T(1) / length(edge[0]);
        c.inverse_after = T(1) / length(b);
        c.before = c.inverse_before * edge[0];
        c.after = c.inverse_after * b;
        c.k = c.after - c.before;
        c.s = length(c.k);
        return c;
    }
    template <class T>
    CPU_GPU static T measure(const Vec3<T> (&edge)[2]) {
        return kink(edge).s;
    }
    template <class T>
    CPU_GPU static void forces(const Vec3<T> (&edge)[2], const T& rest, const T& stiffness,
                               Vec3<T> (&force)[2]) {
        const Kink<T> c = kink(edge);
        spread(c, (stiffness * held_share(c, rest)) * c.k, force);
    }
    template <class T>
    CPU_GPU static void differential(const Vec3<T> (&edge)[2], const Vec3<T> (&change)[2],
                                     const T& rest, const T& stiffness, Vec3<T> (&force)[2]) {
        const Kink<T> c = kink(edge);
        const Vec3<T> dk = c.inverse_after * across(c.after, change[1] - change[0]) -
                           c.inverse_before * across(c.before, change[0]);
        // sideways as far as it is bent beyond its rest, along the bend wholly
        const T side = max(held_share(c, rest), T(0));
        const Vec3<T> way = (T(1) / max(c.s, T(smallest_normal<T>))) * c.k;
        const Vec3<T> along = dot(way, dk) * way;
        spread(c, stiffness * (side * (dk - along) + along), force);
    }

private:
    template <class T>
    CPU_GPU static T held_share(const Kink<T>& c, const T& rest) {
        return (c.s - rest) / max(c.s, T(Element<T>(1e-6)));
    }
    template <class T>
    CPU_GPU static Vec3<T> across(const Vec3<T>& along, const Vec3<T>& a) {
        return a - dot(along, a) * along;
    }
    // From the change of energy with k to the forces on the corners 1 and 2.
    template <class T>
    CPU_GPU static void spread(const Kink<T>& c, const Vec3<T>& slope, Vec3<T> (&force)[2]) {
        const Vec3<T> far = -(c.inverse_after * across(c.after, slope));
        force[1] = far;
        force[0] = c.inverse_before * across(c.before, slope) - far;
    }
};

}  // namespace knead
