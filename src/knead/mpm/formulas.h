// Formulas of the grid step that every backend shares.
#pragma once

#include <cmath>

#include "knead/geometry/contact.h"
#include "knead/math/mat.h"
#include "knead/mpm/settings.h"

namespace knead {

// The share of FLIP in a step of length dt: per step, or compounded over flip_dt.
inline double flip_share(const MpmSettings& settings, double dt) {
    return settings.flip_dt > 0 ? std::pow(settings.flip_fraction, dt / settings.flip_dt)
                                : settings.flip_fraction;
}

// C = D^-1 (B - damping sym(B)) with D^-1 = 4 / dx^2 for quadratic kernels, 3 / dx^2 for cubic
// ones. For linear ones D^-1 B is the velocity gradient, which stands for B and D^-1 for 1.
// [Jiang 2017, section 5.3 and Eq. 2]
template <class Real>
struct AffineDamping {
    Real keep, mirror;

    // S is the precision in which the factors are computed.
    template <class S>
    CPU_GPU AffineDamping(int order, S dx, S damping) {
        const S inv_D = order == 1 ? S(1) : static_cast<S>(6 - order) / (dx * dx);
        keep = static_cast<Real>(inv_D * (1 - damping / 2));
        mirror = static_cast<Real>(-inv_D * damping / 2);
    }
    template <class T>
    CPU_GPU Mat3<T> operator()(const Mat3<T>& B) const {
        return T(keep) * B + T(mirror) * transpose(B);
    }
};

// A particle's velocity from what it gathers, its own and the grid's change. [Yue 2015, Alg. 12]
template <class T, class Real>
CPU_GPU inline Vec3<T> blend_flip(const Vec3<T>& gathered, const Vec3<T>& own,
                                  const Vec3<T>& change, Real flip) {
    return T(Real(1) - flip) * gathered + T(flip) * (own + change);
}

// Nodes of this mass or less hold no matter.
template <class Real>
inline constexpr Real least_node_mass = sizeof(Real) == 4 ? Real(1.17549435e-38)
                                                          : Real(2.2250738585072014e-308);

// How contact acts on a node of a given mass. Adhesion holds it with what it bears on dx^2.
CPU_GPU inline ContactReach contact_of_node(double dx, const NodeContact& contact, double mass) {
    return {node_reach * dx, (contact.sticky_reach + node_reach) * dx, dx,
            contact.dt * dx * dx / mass};
}

// v* = (m v) / m + dt f / m + dt g  [Yue 2015, Alg. 9, with the missing v], and for FLIP the change
// of velocity besides. For APIC the momentum holds dt f already.
template <class Real>
struct NodeMotion {
    Vec3<Real> velocity, change;
};
template <Transfer transfer, class Real>
CPU_GPU inline NodeMotion<Real> node_motion(Real mass, const Vec3<Real>& momentum,
                                            const Vec3<Real>& force, const Vec3<Real>& dt_g,
                                            Real dt) {
    const Real inv_m = Real(1) / mass;
    NodeMotion<Real> node{};
    for (int a = 0; a < 3; ++a) {
        const Real before = momentum[a] * inv_m;
        if constexpr (transfer == Transfer::apic) {
            node.velocity[a] = before + dt_g[a];
        } else {
            node.change[a] = dt * force[a] * inv_m + dt_g[a];
            node.velocity[a] = before + node.change[a];
        }
    }
    return node;
}

}  // namespace knead
