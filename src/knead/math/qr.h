// F = Q R by Gram-Schmidt: Q a rotation, R upper triangular with R.xx, R.yy >= 0 and R.zz carrying
// the sign of det F. R.xx and R.yy are zero only where F's first columns leave no direction; Q is
// then completed.
#pragma once

#include "knead/math/mat.h"

namespace knead {

template <class T>
struct Qr3 {
    Mat3<T> Q, R;
};

namespace qr_detail {

// a / |a|, or `other` where a is shorter than `least`; no overflow on the way.
template <class T>
CPU_GPU inline Vec3<T> direction(const Vec3<T>& a, const T& least, const Vec3<T>& other) {
    const T tiny = T(smallest_normal<T> * 64);
    const T largest = max(max(abs(a.x), abs(a.y)), abs(a.z));
    const T size = power_of_two_below(max(largest, tiny));
    const Vec3<T> unit = a / size;
    const auto lost = largest <= max(least, tiny);
    const Vec3<T> kept = select(lost, other, unit);
    return kept / length(kept);
}

// Some vector across the unit vector a, of length above 1/2.
template <class T>
CPU_GPU inline Vec3<T> any_across(const Vec3<T>& a) {
    const T o = T(0);
    return select(abs(a.x) > abs(a.z), Vec3<T>{-a.y, a.x, o}, Vec3<T>{o, -a.z, a.y});
}

}  // namespace qr_detail

template <class T>
CPU_GPU inline Qr3<T> qr(const Mat3<T>& F) {
    using namespace qr_detail;
    const T o = T(0);
    const Vec3<T> f1 = F.column(0), f2 = F.column(1), f3 = F.column(2);
    const Vec3<T> q1 = direction(f1, o, Vec3<T>{T(1), o, o});

    // the second pass clears what rounding left along q1 when f2 is almost parallel to it
    const Vec3<T> once = f2 - dot(q1, f2) * q1;
    const T noise = T(8 * rounding_unit<T>) * max(max(abs(f2.x), abs(f2.y)), abs(f2.z));
    const Vec3<T> near = direction(once, noise, any_across(q1));
    const Vec3<T> twice = near - dot(q1, near) * q1;
    const Vec3<T> q2 = twice / length(twice);
    const Vec3<T> q3 = cross(q1, q2);

    const T r22 = max(dot(q2, f2), o);
    return {from_columns(q1, q2, q3),
            Mat3<T>{dot(q1, f1), dot(q1, f2), dot(q1, f3), o, r22, dot(q2, f3), o, o, dot(q3, f3)}};
}

}  // namespace knead
