// Distances of the primitives, each exact. `n` points at the primitive's numbers in the order that
// SdfCode lists; S is a plain scalar, or a Dual that brings the gradient along.
#pragma once

#include "knead/geometry/dual.h"
#include "knead/geometry/polygon_edges.h"

namespace knead::sdf_eval {

template <class T>
CPU_GPU inline Vec3<T> vec(const T* n) {
    return {n[0], n[1], n[2]};
}

// Distance to the corner a = b = 0 of the quadrant a, b <= 0.
template <class S>
CPU_GPU inline S corner(const S& a, const S& b) {
    using T = Element<S>;
    if (!(value_of(b) > T(0))) return max(a, b);
    if (!(value_of(a) > T(0))) return b;
    return hypotenuse(a, b);
}

template <class S, class T = Element<S>>
CPU_GPU inline S sphere(const T* n, const Vec3<T>& p) {
    return length_of<S>(p - vec(n)) - n[3];
}

template <class S, class T = Element<S>>
CPU_GPU inline S box(const T* n, const Vec3<T>& p) {
    const Vec3<T> q = p - vec(n);
    const auto side = [&](int i) {
        Vec3<T> e{T(0), T(0), T(0)};
        e[i] = q[i] < T(0) ? T(-1) : T(1);
        return with_gradient<S>(abs(q[i]) - n[3 + i], e);
    };
    return corner(corner(side(0), side(1)), side(2)) - n[6];
}

// Along the axis and away from it, the two coordinates of every turned shape.
template <class S>
struct Turned {
    S along, radius;
};
template <class S, class T = Element<S>>
CPU_GPU inline Turned<S> turned(const Vec3<T>& center, const Vec3<T>& axis, const Vec3<T>& p) {
    const Vec3<T> q = p - center;
    const T y = dot(q, axis);
    return {with_gradient<S>(y, axis), length_of<S>(q - y * axis)};
}

template <class S, class T = Element<S>>
CPU_GPU inline S cylinder(const T* n, const Vec3<T>& p) {
    const Turned<S> c = turned<S>(vec(n), vec(n + 3), p);
    return corner<S>(c.radius - n[6], abs(c.along) - n[7]) - n[8];
}

template <class S, class T = Element<S>>
CPU_GPU inline S capsule(const T* n, const Vec3<T>& p) {
    const Vec3<T> q = p - vec(n), axis = vec(n + 3);
    const T y = clamp(dot(q, axis), -n[6], n[6]);
    return length_of<S>(q - y * axis) - n[7];
}

// In the plane of radius and height the cone is a convex quadrilateral: inside, the nearest of its
// three lines; outside, a line where the foot falls on it, else a corner.
template <class S, class T = Element<S>>
CPU_GPU inline S cone(const T* n, const Vec3<T>& p) {
    const Turned<S> c = turned<S>(vec(n), vec(n + 3), p);
    const T height = n[6], ra = n[7], rb = n[8];
    const T slant = sqrt(height * height + (ra - rb) * (ra - rb));
    const T nx = height / slant, ny = (ra - rb) / slant;  // outward normal of the slanted side
    const S x = c.radius - ra;
    const S below = -c.along, above = c.along - height, side = nx * x + ny * c.along;
    if (!(value_of(below) > T(0)) && !(value_of(above) > T(0)) && !(value_of(side) > T(0)))
        return max(side, max(below, above));
    if (value_of(below) > T(0) && !(value_of(x) > T(0))) return below;
    if (value_of(above) > T(0) && !(value_of(c.radius) > rb)) return above;
    const T foot = nx * value_of(c.along) - ny * value_of(x);
    if (foot > T(0) && foot < slant) return side;
    return min(hypotenuse<S>(x, c.along), hypotenuse<S>(c.radius - rb, above));
}

template <class S, class T = Element<S>>
CPU_GPU inline S torus(const T* n, const Vec3<T>& p) {
    const Turned<S> c = turned<S>(vec(n), vec(n + 3), p);
    return hypotenuse<S>(c.radius - n[6], c.along) - n[7];
}

template <class S, class T = Element<S>>
CPU_GPU inline S plane(const T* n, const Vec3<T>& p) {
    return with_gradient<S>(dot(vec(n), p) - n[3], vec(n));
}

// The nearest point x obeys x_i = r_i^2 p_i / (t + r_i^2), where t is the largest root of
// F(t) = sum (r_i p_i / (t + r_i^2))^2 - 1. F falls and is convex, so Newton from the left climbs
// to the root without overshoot. s = t + min r^2 keeps the digits where the smallest radius rules.
template <class S, class T = Element<S>>
CPU_GPU inline S ellipsoid(const T* n, const Vec3<T>& p) {
    const Vec3<T> q = p - vec(n), r = vec(n + 3);
    const T least = min(r.x, min(r.y, r.z));
    const Vec3<T> r2 = r * r, extra = r2 - splat(least * least);
    Vec3<T> y{abs(q.x), abs(q.y), abs(q.z)};
    y = max(y, splat(T(1e-9) * least));  // off the symmetry planes, where s would be 0
    const Vec3<T> reach = r * y - extra;
    T s = max(reach.x, max(reach.y, reach.z));
    for (int step = 0; step < 40; ++step) {
        T f = T(-1), slope = T(0);
        for (int i = 0; i < 3; ++i) {
            const T term = r[i] * y[i] / (s + extra[i]);
            f += term * term;
            slope -= T(2) * term * term / (s + extra[i]);
        }
        const T next = s - f / slope;
        if (!(next > s)) break;
        s = next;
    }
    Vec3<T> x, normal;
    for (int i = 0; i < 3; ++i) {
        normal[i] = copysign(y[i] / (s + extra[i]), q[i]);
        x[i] = r2[i] * normal[i];
    }
    normal = normalized(normal);
    return with_gradient<S>(dot(q - x, normal), normal);
}

// Nearest edge of a counter-clockwise polygon. On an edge the outward normal gives the sign, at a
// corner the sum of the two normals that meet there does.
template <class S, class T = Element<S>>
CPU_GPU inline S polygon(const T* n, int count, const Vec3<T>& p) {
    const T* c = n + 1;
    const NearestEdge<T> nearest = nearest_edge(c, count, p.x, p.y);
    const T best = nearest.d2, where = nearest.where;
    const int edge = nearest.edge;
    const auto normal_of = [&](int i) {
        const int j = i + 1 < count ? i + 1 : 0;
        return normalized(Vec3<T>{c[2 * j + 1] - c[2 * i + 1], c[2 * i] - c[2 * j], T(0)});
    };
    const int next = edge + 1 < count ? edge + 1 : 0, last = edge > 0 ? edge - 1 : count - 1;
    const int v = where < T(1) ? edge : next;
    const Vec3<T> away{p.x - c[2 * v], p.y - c[2 * v + 1], T(0)};
    Vec3<T> normal = normal_of(edge);
    T d = dot(away, normal);
    if ((where <= T(0) || where >= T(1)) && best > T(0)) {
        const bool outside = dot(away, normal + normal_of(where < T(1) ? last : next)) >= T(0);
        d = outside ? sqrt(best) : -sqrt(best);
        normal = away / d;
    }
    const Vec3<T> up{T(0), T(0), p.z < T(0) ? T(-1) : T(1)};
    return corner(with_gradient<S>(d, normal), with_gradient<S>(abs(p.z) - n[0], up));
}

}  // namespace knead::sdf_eval
