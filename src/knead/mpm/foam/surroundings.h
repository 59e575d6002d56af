// How far the matter around a particle reaches. [Yue 2015, Eq. 21, 22]
#pragma once

#include "knead/math/eigen_sym.h"
#include "knead/mpm/foam/cubic_kernel.h"

namespace knead {

inline constexpr double smallest_spread = 1e-5;  // of the largest eigenvalue, in dx^2
inline constexpr double flattest_spread = 1e-5;  // smallest over largest eigenvalue

CPU_GPU inline Sym3d square(const Vec3d& d) {
    return {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
}

// Sums over neighbours at d (in dx, from the particle) with a = w^2 m^2.
struct Moments {
    double a = 0;
    Vec3d ad{0, 0, 0};
    Sym3d add{};
    double wm = 0;
    Vec3d wmd{0, 0, 0};

    CPU_GPU void add_point(const Vec3d& d, double m) {
        const double w = cubic_weight(d) * m;
        a += w * w;
        ad += w * w * d;
        add = add + w * w * square(d);
        wm += w;
        wmd += w * d;
    }
    // Sum of a (d - c)(d - c)^T.
    CPU_GPU Sym3d about(const Vec3d& c) const {
        const Sym3d mixed{2 * ad.x * c.x,          2 * ad.y * c.y,
                          2 * ad.z * c.z,          ad.x * c.y + c.x * ad.y,
                          ad.x * c.z + c.x * ad.z, ad.y * c.z + c.y * ad.z};
        return add - mixed + a * square(c);
    }
    // Eigenvalues of the covariance, from the largest [dx^2].
    CPU_GPU Vec3d spread() const { return eigen_sym((1 / a) * about(wmd / wm)).lambda; }
};

// Whether the grid cannot see a body of such spread: a point, a line or a plane.
CPU_GPU inline bool is_subgrid(const Vec3d& spread) {
    return spread.x < smallest_spread || spread.z < flattest_spread * spread.x;
}

}  // namespace knead
