// What sheets and fibres share [Jiang 2017, 3.3]: an energy of the triangular factor R of d = Q R,
// where d is the elastic deformation seen from the element's own frame. Its first columns lie along
// the sheet or the fibre, the others across it. A law gives
//     energy(R)                      psi [J/m3]
//     gradient(R)                    d psi / d R, upper triangle
//     gradient_differential(R, dR)   its change with R, upper triangle
// and the functions here turn that into P = d psi / d d and its change. The lower triangle of
// M = Q^T P follows from M R^T being symmetric, so nothing divides by R.zz, and flat or inverted
// elements are safe.
#pragma once

#include "knead/math/qr.h"

namespace knead {

// M from its upper triangle.
template <class T>
CPU_GPU inline Mat3<T> complete_stress(const Mat3<T>& upper, const Mat3<T>& R) {
    Mat3<T> M = upper;
    M.zy = (M.yz * R.zz - M.zz * R.yz) / R.yy;
    M.zx = (M.xz * R.zz - M.zy * R.xy - M.zz * R.xz) / R.xx;
    M.yx = (M.xy * R.yy + M.xz * R.yz - M.yy * R.xy - M.yz * R.xz) / R.xx;
    return M;
}

// The change of M from that of its upper triangle: complete_stress by the product rule.
template <class T>
CPU_GPU inline Mat3<T> complete_differential(const Mat3<T>& upper, const Mat3<T>& M,
                                             const Mat3<T>& R, const Mat3<T>& dR) {
    Mat3<T> dM = upper;
    dM.zy = (dM.yz * R.zz + M.yz * dR.zz - dM.zz * R.yz - M.zz * dR.yz - M.zy * dR.yy) / R.yy;
    dM.zx = (dM.xz * R.zz + M.xz * dR.zz - dM.zy * R.xy - M.zy * dR.xy - dM.zz * R.xz -
             M.zz * dR.xz - M.zx * dR.xx) /
            R.xx;
    dM.yx = (dM.xy * R.yy + M.xy * dR.yy + dM.xz * R.yz + M.xz * dR.yz - dM.yy * R.xy -
             M.yy * dR.xy - dM.yz * R.xz - M.yz * dR.xz - M.yx * dR.xx) /
            R.xx;
    return dM;
}

// P = d psi / d d.
template <class Law, class T>
CPU_GPU inline Mat3<T> codimensional_stress(const Law& law, const Qr3<T>& d) {
    return d.Q * complete_stress(law.gradient(d.R), d.R);
}

// The change of P with d. Q turns by Q Omega, Omega skew, and R changes by Q^T dd - Omega R.
template <class Law, class T>
CPU_GPU inline Mat3<T> codimensional_stress_differential(const Law& law, const Qr3<T>& d,
                                                         const Mat3<T>& dd) {
    const Mat3<T>&Q = d.Q, &R = d.R;
    const Mat3<T> change = transpose(Q) * dd;
    const T yx = change.yx / R.xx, zx = change.zx / R.xx;
    const T zy = (change.zy - zx * R.xy) / R.yy, o = T(0);
    const Mat3<T> omega{o, -yx, -zx, yx, o, -zy, zx, zy, o};
    Mat3<T> dR = change - omega * R;
    dR.yx = dR.zx = dR.zy = o;

    const Mat3<T> M = complete_stress(law.gradient(R), R);
    const Mat3<T> dM = complete_differential(law.gradient_differential(R, dR), M, R, dR);
    return Q * (omega * M + dM);
}

// What a return map found, a number an element so that packs can hold it.
enum class ContactState { held, slipping, apart, inverted };
template <class T>
CPU_GPU inline T contact_code(ContactState s) {
    return T(static_cast<Element<T>>(static_cast<int>(s)));
}

}  // namespace knead
