// Yarn and hair [Jiang 2017, 3.3.1]: a spring along the fibre, resistance to shear of its
// cross-section against it, and logarithmic elasticity within the cross-section. Strands that touch
// compress each other's cross-sections; friction across and along them is a return map on the two
// normal columns.
#pragma once

#include "knead/materials/codimensional/qr_stress.h"

namespace knead {

// A matrix of the cross-section: rows and columns y and z of R.
template <class T>
struct CrossSection {
    T yy, yz, zy, zz;

    CPU_GPU friend CrossSection operator+(const CrossSection& a, const CrossSection& b) {
        return {a.yy + b.yy, a.yz + b.yz, a.zy + b.zy, a.zz + b.zz};
    }
    CPU_GPU friend CrossSection operator*(const T& s, const CrossSection& a) {
        return {s * a.yy, s * a.yz, s * a.zy, s * a.zz};
    }
    template <class C>
    CPU_GPU friend CrossSection select(const C& c, const CrossSection& a, const CrossSection& b) {
        return {knead::select(c, a.yy, b.yy), knead::select(c, a.yz, b.yz),
                knead::select(c, a.zy, b.zy), knead::select(c, a.zz, b.zz)};
    }
    CPU_GPU friend T dot(const CrossSection& a, const CrossSection& b) {
        return a.yy * b.yy + a.yz * b.yz + a.zy * b.zy + a.zz * b.zz;
    }
};

template <class Real>
struct FibreLaw {
    Real mu, lambda;  // Lame, in the cross-section [Pa]
    Real stretch;     // k: stiffness along the fibre [Pa]
    Real shear;       // gamma: stiffness of the cross-section against the fibre [Pa]
    Real across;      // alpha: friction of strands that slide sideways
    Real along;       // beta: friction of strands that slide lengthwise

    // Cross-sections are never crushed below this stretch.
    static constexpr Real least_stretch = Real(0.05);

    // With t = e1 + e2 and q = e1 - e2 of the logarithmic stretches the cross-section stores
    // (mu + lambda) / 2 t^2 + mu / 2 q^2. Infinite where it is inverted.
    template <class T>
    CPU_GPU T energy(const Mat3<T>& R) const {
        const Strain<T> e = strain(R);
        const T x = R.xx - T(1);
        const T section = T(0.5) * (mu + lambda) * e.t * e.t + T(0.5) * mu * e.q * e.q;
        const T sum =
            T(0.5) * stretch * x * x + T(0.5) * shear * (R.xy * R.xy + R.xz * R.xz) + section;
        return select(R.zz > T(0), sum, T(std::numeric_limits<Element<T>>::infinity()));
    }
    template <class T>
    CPU_GPU Mat3<T> gradient(const Mat3<T>& R) const {
        const Strain<T> e = strain(R);
        const CrossSection<T> G = (mu + lambda) * e.t * e.dt + mu * ratio(e.q) * e.dcosh;
        const T o = T(0);
        return {stretch * (R.xx - T(1)), shear * R.xy, shear * R.xz, o, G.yy, G.yz, o, o, G.zz};
    }
    template <class T>
    CPU_GPU Mat3<T> gradient_differential(const Mat3<T>& R, const Mat3<T>& dR) const {
        const Strain<T> e = strain(R);
        const T o = T(0);
        const CrossSection<T> dA{dR.yy, dR.yz, o, dR.zz};
        const T dt = dot(e.dt, dA), dcosh = dot(e.dcosh, dA);
        const CrossSection<T> ddt = inverse_transpose_differential(e.dt, dA);
        const CrossSection<T> ddcosh =
            (T(1) / e.determinant) * (dA + (-dt) * e.A) + (-dcosh) * e.dt + (-e.cosh) * ddt;
        const CrossSection<T> dG =
            (mu + lambda) * (dt * e.dt + e.t * ddt) +
            mu * (ratio_differential(e.q) * dcosh * e.dcosh + ratio(e.q) * ddcosh);
        return {stretch * dR.xx, shear * dR.xy, shear * dR.xz, o, dG.yy, dG.yz, o, o, dG.zz};
    }

    template <class T>
    struct Returned {
        Vec3<T> second, third;  // the normal columns after the return, in world space
        T state;                // a contact_code
    };

    // Friction across the strands first, then along them with the new cross-section. The tangent
    // column stays as it is. [Jiang 2017, 4.5.2; the signs as its own text needs them]
    template <class T>
    CPU_GPU Returned<T> return_map(const Qr3<T>& d) const {
        const Mat3<T>& R = d.R;
        const T o = T(0), one = T(1), half = T(0.5);
        const T sum = length2(R.yy + R.zz, R.yz), difference = length2(R.yy - R.zz, R.yz);
        const T s1 = half * (sum + difference), s2 = half * (sum - difference);
        const auto inverted = R.zz <= o;
        const T e1 = log(max(s1, T(least_stretch))), e2 = log(max(abs(s2), T(least_stretch)));

        // sideways: logarithmic strain returns at constant volume
        const T t = e1 + e2;
        const auto apart = t >= o;
        const T excess = T(2) * mu * (e1 - e2) + across * (mu + lambda) * t;
        const auto slips = excess > o;
        const T shift = select(slips, excess / (T(4) * mu), o);
        const T f1 = select(apart, o, e1 - shift), f2 = select(apart, o, e2 + shift);
        const auto crushed = abs(s2) < T(least_stretch);
        const CrossSection<T> A = select(apart || slips || inverted || crushed,
                                         with_stretches(R, sum, difference, exp(f1), exp(f2)),
                                         CrossSection<T>{R.yy, R.yz, o, R.zz});

        // lengthwise: shear stress is held by pressure
        const T y = A.yy * R.xy + A.yz * R.xz, z = A.zy * R.xy + A.zz * R.xz;
        const T slide = shear * length2(y, z), hold = -along * (mu + lambda) * (f1 + f2);
        const auto slides = slide > hold;
        T keep = select(slides, hold / select(slides, slide, one), one);
        if (!(shear > Real(0)) && !(along > Real(0))) keep = o;
        keep = select(apart, o, select(inverted, o, keep));

        const T slipping = contact_code<T>(ContactState::slipping);
        const T held_or_slipping = select(slips, slipping, select(slides, slipping, o));
        const T state =
            select(inverted, contact_code<T>(ContactState::inverted),
                   select(apart, contact_code<T>(ContactState::apart), held_or_slipping));
        return {d.Q * Vec3<T>{keep * R.xy, A.yy, A.zy}, d.Q * Vec3<T>{keep * R.xz, A.yz, A.zz},
                state};
    }

private:
    template <class T>
    CPU_GPU static T length2(const T& a, const T& b) {
        return sqrt(a * a + b * b);
    }

    // Strain of the cross-section A and how it changes with A. cosh(q) = |A|^2 / (2 det A) is a
    // smooth function of A where q itself has a kink.
    template <class T>
    struct Strain {
        CrossSection<T> A;
        T determinant, t, q, cosh;
        CrossSection<T> dt;     // A^-T
        CrossSection<T> dcosh;  // A / det A - cosh(q) A^-T
    };
    template <class T>
    CPU_GPU static Strain<T> strain(const Mat3<T>& R) {
        const T a = R.yy, b = R.yz, c = max(R.zz, T(Real(1e-3) * least_stretch)), o = T(0);
        const T det = a * c;
        const T sum = length2(a + c, b), difference = length2(a - c, b);
        // e^q is the larger stretch over the smaller, which is det over the larger
        const T larger = T(0.5) * (sum + difference);
        Strain<T> e;
        e.A = {a, b, o, c};
        e.determinant = det;
        e.t = log(det);
        e.q = log(larger * larger / det);
        e.cosh = (a * a + b * b + c * c) / (T(2) * det);
        e.dt = {T(1) / a, o, -b / det, T(1) / c};
        e.dcosh = (T(1) / det) * e.A + (-e.cosh) * e.dt;
        return e;
    }
    // The change of B = A^-T: -B dA^T B.
    template <class T>
    CPU_GPU static CrossSection<T> inverse_transpose_differential(const CrossSection<T>& B,
                                                                  const CrossSection<T>& dA) {
        const T yy = B.yy * dA.yy + B.yz * dA.yz, yz = B.yy * dA.zy + B.yz * dA.zz;
        const T zy = B.zy * dA.yy + B.zz * dA.yz, zz = B.zy * dA.zy + B.zz * dA.zz;
        return {-(yy * B.yy + yz * B.zy), -(yy * B.yz + yz * B.zz), -(zy * B.yy + zz * B.zy),
                -(zy * B.yz + zz * B.zz)};
    }
    // q / sinh(q), by its series near zero.
    template <class T>
    CPU_GPU static T ratio(const T& q) {
        const T z = q * q;
        const auto small = q < T(Real(0.02));
        const T series = T(1) - z * (T(1.0 / 6.0) - z * T(7.0 / 360.0));
        return select(small, series, q / sinh_of(select(small, T(1), q)));
    }
    // (d/dq)(q / sinh(q)) / sinh(q).
    template <class T>
    CPU_GPU static T ratio_differential(const T& q) {
        const T z = q * q;
        const auto small = q < T(sizeof(Real) == 4 ? Real(0.2) : Real(0.03));
        const T series = T(-1.0 / 3.0) + z * (T(2.0 / 15.0) - z * T(2.0 / 63.0));
        const T p = select(small, T(1), q), e = exp(p), inv = T(1) / e;
        const T sinh = T(0.5) * (e - inv), cosh = T(0.5) * (e + inv);
        return select(small, series, (sinh - p * cosh) / (sinh * sinh * sinh));
    }
    template <class T>
    CPU_GPU static T sinh_of(const T& q) {
        const T e = exp(q);
        return T(0.5) * (e - T(1) / e);
    }
    // U diag(s1, s2) V^T for the A = U diag(..) V^T that R holds: A and its cofactors have the sum
    // and the difference of the stretches on U V^T and on U diag(1, -1) V^T.
    template <class T>
    CPU_GPU static CrossSection<T> with_stretches(const Mat3<T>& R, const T& sum,
                                                  const T& difference, const T& s1, const T& s2) {
        const T half = T(0.5), tiny = T(64 * smallest_normal<T>);
        const T even = half * (s1 + s2) / max(sum, tiny);
        const T odd = half * (s1 - s2) / max(difference, tiny);
        const T a = R.yy, b = R.yz, c = R.zz;
        return {even * (a + c) + odd * (a - c), (even + odd) * b, (odd - even) * b,
                even * (c + a) + odd * (c - a)};
    }
};

}  // namespace knead
