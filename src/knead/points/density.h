// Density, pressure and viscosity of smoothed particles [Müller 2003], in the form of
// [Gerszewski 2009, section 4]: kernels, the equation of state, and the plain sum.
#pragma once

#include <span>

#include "knead/math/sph_kernel.h"
#include "knead/points/neighbours/neighbours.h"

namespace knead {

// 15 / (pi h^6) (h - r)^3: steep at r = 0, which keeps points apart.
struct SpikyKernel {
    template <class T>
    CPU_GPU static T value(const T& r, const T& h) {
        const T rest = max(T(1) - r / h, T(0));
        return T(4.7746482927568605) / (h * h * h) * (rest * rest * rest);
    }
    template <class T>
    CPU_GPU static T gradient(const T& r, const T& h) {
        const T rest = max(T(1) - r / h, T(0));
        return T(-14.323944878270581) / (h * h * h * h) * (rest * rest);
    }
};

// 45 / (pi h^6) (h - r): the Laplacian of the viscosity kernel, positive everywhere [1/m^5].
template <class T>
CPU_GPU inline T viscosity_laplacian(const T& r, const T& h) {
    const T h2 = h * h;
    return T(14.323944878270581) / (h2 * h2 * h) * max(T(1) - r / h, T(0));
}

// V p with p = k (rho / rho_0 - 1), from the volumes at rest and now, v / V = rho / rho_0; never in
// tension: solids get their cohesion from elasticity.
template <class T>
CPU_GPU inline T sph_pressing(const T& stiffness, const T& v, const T& V) {
    return max(stiffness * (v - V), T(0));
}

// sum over the neighbours and the point itself of m W_poly6. `h` holds one radius or one a point.
std::vector<double> sph_densities(std::span<const Vec3d> points, std::span<const double> mass,
                                  const Neighbours& neighbours, std::span<const double> h);

}  // namespace knead
