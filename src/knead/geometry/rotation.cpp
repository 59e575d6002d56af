#include "knead/geometry/rotation.h"

#include <cmath>

namespace knead {

Mat3d rotation_of(const Vec3d& w) {
    const double angle = length(w);
    // sin(a) / a and (1 - cos(a)) / a^2, by their series where the quotients lose digits.
    const double a2 = angle * angle;
    const double s = angle < 1e-4 ? 1 - a2 / 6 : std::sin(angle) / angle;
    const double half = std::sin(0.5 * angle);
    const double c = angle < 1e-4 ? 0.5 - a2 / 24 : 2 * half * half / a2;
    const Mat3d k{0, -w.z, w.y, w.z, 0, -w.x, -w.y, w.x, 0};
    return identity3<double>() + s * k + c * (k * k);
}

Vec3d rotation_vector(const Mat3d& r) {
    // The quaternion, from its largest entry for the digits. [Shepperd 1978]
    const double t = trace(r);
    double q[4] = {1 + t, 1 + 2 * r.xx - t, 1 + 2 * r.yy - t, 1 + 2 * r.zz - t};  // 4 q_i^2
    int k = 0;
    for (int i = 1; i < 4; ++i)
        if (q[i] > q[k]) k = i;
    const double big = 0.5 * std::sqrt(q[k]), f = 0.25 / big;
    double p[4];
    if (k == 0)
        p[0] = big, p[1] = f * (r.zy - r.yz), p[2] = f * (r.xz - r.zx), p[3] = f * (r.yx - r.xy);
    else if (k == 1)
        p[0] = f * (r.zy - r.yz), p[1] = big, p[2] = f * (r.xy + r.yx), p[3] = f * (r.xz + r.zx);
    else if (k == 2)
        p[0] = f * (r.xz - r.zx), p[1] = f * (r.xy + r.yx), p[2] = big, p[3] = f * (r.yz + r.zy);
    else
        p[0] = f * (r.yx - r.xy), p[1] = f * (r.xz + r.zx), p[2] = f * (r.yz + r.zy), p[3] = big;
    Vec3d v{p[1], p[2], p[3]};
    if (p[0] < 0) p[0] = -p[0], v = -v;
    const double sine = length(v);
    const double angle = 2 * std::atan2(sine, p[0]);
    return sine > 1e-12 ? (angle / sine) * v : 2. * v;
}

}  // namespace knead
