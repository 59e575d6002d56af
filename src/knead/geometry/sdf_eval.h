// Runs an SdfProgram at one point, on host or device. S is float or double for the distance alone,
// Dual<float> or Dual<double> for the distance and its gradient.
#pragma once

#include "knead/geometry/sdf_primitives.h"
#include "knead/geometry/sdf_program.h"
#include "knead/math/mat.h"

namespace knead {

namespace sdf_eval {

// The quadratic blend: below the smaller one by up to blend / 4 where the two are equal.
template <class S, class T = Element<S>>
CPU_GPU inline S smooth_min(const S& a, const S& b, T blend) {
    const S h = blend - abs(a - b);
    const S least = min(a, b);
    if (!(value_of(h) > T(0))) return least;
    return least - (T(0.25) / blend) * (h * h);
}

// Into the frame of a moved part: R^T (p - translation) / scale.
template <class T>
CPU_GPU inline Vec3<T> enter(const T* n, const Vec3<T>& p) {
    const Vec3<T> q = (p - vec(n + 9)) / n[12];
    return {n[0] * q.x + n[3] * q.y + n[6] * q.z, n[1] * q.x + n[4] * q.y + n[7] * q.z,
            n[2] * q.x + n[5] * q.y + n[8] * q.z};
}
// And its distance back out: lengths grow by the scale, gradients turn.
template <class S, class T = Element<S>>
CPU_GPU inline S leave(const T* n, const S& d) {
    const Vec3<T> g = gradient_of(d);
    return with_gradient<S>(n[12] * value_of(d),
                            {dot(vec(n), g), dot(vec(n + 3), g), dot(vec(n + 6), g)});
}

template <class S, class T = Element<S>>
CPU_GPU inline S primitive(const SdfProgramView<T>& program, const SdfOp& op, const Vec3<T>& p) {
    const T* n = program.numbers + op.at;
    switch (op.code) {
        case SdfCode::sphere:
            return sphere<S>(n, p);
        case SdfCode::box:
            return box<S>(n, p);
        case SdfCode::cylinder:
            return cylinder<S>(n, p);
        case SdfCode::capsule:
            return capsule<S>(n, p);
        case SdfCode::cone:
            return cone<S>(n, p);
        case SdfCode::torus:
            return torus<S>(n, p);
        case SdfCode::plane:
            return plane<S>(n, p);
        case SdfCode::ellipsoid:
            return ellipsoid<S>(n, p);
        case SdfCode::polygon:
            return polygon<S>(n, op.count, p);
        default:
            return sample_grid<S>(program.grids[op.count], p);
    }
}

// No more than the distance to a primitive, and cheap; only where the distance itself is not.
template <class T>
CPU_GPU inline T lower_bound(const SdfProgramView<T>& program, const SdfOp& op, const Vec3<T>& p) {
    if (op.code != SdfCode::ellipsoid) return T(-1e30);
    const T* n = program.numbers + op.at;
    return length(p - vec(n)) - max(n[3], max(n[4], n[5]));
}

// Whether the primitive that the next operation joins to what has distance `d` is too far away to
// change it.
template <class T>
CPU_GPU inline bool joins_from_afar(const SdfProgramView<T>& program, int i, const Vec3<T>& p,
                                    const T& d) {
    if (i + 1 >= program.op_count) return false;
    const SdfOp& next = program.ops[i + 1];
    if (next.code != SdfCode::unite && next.code != SdfCode::smooth_unite) return false;
    const T blend = next.code == SdfCode::unite ? T(0) : program.numbers[next.at];
    return lower_bound(program, program.ops[i], p) > d + blend;
}

}  // namespace sdf_eval

template <class S, class T = Element<S>>
CPU_GPU inline S evaluate(const SdfProgramView<T>& program, Vec3<T> p) {
    if (program.op_count == 1) return sdf_eval::primitive<S>(program, program.ops[0], p);
    S values[sdf_value_depth];
    Vec3<T> points[sdf_point_depth];
    int value = -1, point = -1;
    for (int i = 0; i < program.op_count; ++i) {
        const SdfOp& op = program.ops[i];
        const T* n = program.numbers + op.at;
        switch (op.code) {
            case SdfCode::unite:
                --value;
                values[value] = min(values[value], values[value + 1]);
                break;
            case SdfCode::smooth_unite:
                --value;
                values[value] = sdf_eval::smooth_min(values[value], values[value + 1], n[0]);
                break;
            case SdfCode::subtract:
                --value;
                values[value] = max(values[value], -values[value + 1]);
                break;
            case SdfCode::intersect:
                --value;
                values[value] = max(values[value], values[value + 1]);
                break;
            case SdfCode::shell:
                values[value] = abs(values[value]) - n[0];
                break;
            case SdfCode::offset:
                values[value] = values[value] - n[0];
                break;
            case SdfCode::enter:
                points[++point] = p;
                p = sdf_eval::enter(n, p);
                break;
            case SdfCode::leave:
                p = points[point--];
                values[value] = sdf_eval::leave(n, values[value]);
                break;
            default:
                if (value >= 0 && sdf_eval::joins_from_afar(program, i, p, value_of(values[value])))
                    ++i;
                else
                    values[++value] = sdf_eval::primitive<S>(program, op, p);
        }
    }
    return values[0];
}

}  // namespace knead
