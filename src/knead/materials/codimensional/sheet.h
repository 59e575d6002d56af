// Cloth [Jiang 2017, 3.3.2]: in the sheet fixed corotated elasticity, across it resistance to shear
// and to compression. Layers that touch compress each other's normals: that is the contact force,
// and its friction is a return map on the normal column alone.
#pragma once

#include "knead/materials/codimensional/qr_stress.h"

namespace knead {

template <class Real>
struct SheetLaw {
    Real mu, lambda;   // Lame, in the sheet [Pa]
    Real compression;  // k: stiffness across the sheet [Pa]
    Real shear;        // gamma: stiffness of the normal against the sheet [Pa]
    Real friction;     // tangent of the friction angle between layers

    template <class T>
    CPU_GPU T energy(const Mat3<T>& R) const {
        const T n = stretch_sum(R), area = R.xx * R.yy - T(1);
        // |R|^2 - 2 n + 2, written without the difference of large numbers that it is near rest
        const T x = R.xx - T(1), y = R.yy - T(1);
        const T in_plane = x * x + y * y + R.xy * R.xy * (T(1) - T(2) / (n + R.xx + R.yy));
        const T gap = max(T(1) - R.zz, T(0));
        return mu * in_plane + T(0.5) * lambda * area * area +
               T(0.5) * shear * (R.xz * R.xz + R.yz * R.yz) +
               T(1.0 / 3.0) * compression * gap * gap * gap;
    }
    template <class T>
    CPU_GPU Mat3<T> gradient(const Mat3<T>& R) const {
        const T n = stretch_sum(R), turn = (R.xx + R.yy) / n;
        const T pressure = lambda * (R.xx * R.yy - T(1));
        const T gap = max(T(1) - R.zz, T(0)), o = T(0);
        return {T(2) * mu * (R.xx - turn) + pressure * R.yy,
                T(2) * mu * R.xy * (T(1) - T(1) / n),
                shear * R.xz,
                o,
                T(2) * mu * (R.yy - turn) + pressure * R.xx,
                shear * R.yz,
                o,
                o,
                -compression * gap * gap};
    }
    template <class T>
    CPU_GPU Mat3<T> gradient_differential(const Mat3<T>& R, const Mat3<T>& dR) const {
        const T n = stretch_sum(R), s = R.xx + R.yy, o = T(0);
        const T cube = T(2) * mu / (n * n * n);
        const T bent = cube * R.xy * R.xy, mixed = cube * s * R.xy;
        const T straight = T(2) * mu - bent;
        const T both = lambda * (T(2) * R.xx * R.yy - T(1)) - bent;
        const T gap = max(T(1) - R.zz, T(0));
        return {(straight + lambda * R.yy * R.yy) * dR.xx + mixed * dR.xy + both * dR.yy,
                mixed * (dR.xx + dR.yy) + (T(2) * mu - cube * s * s) * dR.xy,
                shear * dR.xz,
                o,
                both * dR.xx + mixed * dR.xy + (straight + lambda * R.xx * R.xx) * dR.yy,
                shear * dR.yz,
                o,
                o,
                T(2) * compression * gap * dR.zz};
    }

    template <class T>
    struct Returned {
        Vec3<T> normal;  // the normal column after the return, in world space
        T state;         // a contact_code
    };

    // Coulomb friction between layers. The tangent columns stay as they are. [Jiang 2017, 4.5.1]
    template <class T>
    CPU_GPU Returned<T> return_map(const Qr3<T>& d) const {
        const Mat3<T>& R = d.R;
        const T o = T(0), one = T(1);
        const auto apart = R.zz > one;
        const auto inverted = R.zz <= o;
        const T gap = max(one - R.zz, o);
        const T hold = friction * compression * gap * gap;
        const T slide = shear * sqrt(R.xz * R.xz + R.yz * R.yz);
        const auto slips = slide > hold;
        T keep = select(slips, hold / select(slips, slide, one), one);
        if (!(friction > Real(0))) keep = o;
        keep = select(apart, o, select(inverted, o, keep));

        const Vec3<T> column{keep * R.xz, keep * R.yz, select(apart, one, R.zz)};
        const T slipping = select(slips, contact_code<T>(ContactState::slipping), o);
        const T state = select(apart, contact_code<T>(ContactState::apart),
                               select(inverted, contact_code<T>(ContactState::inverted), slipping));
        return {d.Q * column, state};
    }

private:
    // The sum of the principal stretches in the sheet.
    template <class T>
    CPU_GPU static T stretch_sum(const Mat3<T>& R) {
        const T s = R.xx + R.yy;
        return sqrt(s * s + R.xy * R.xy);
    }
};

}  // namespace knead
