// F = R S with R a rotation (det R = +1 for every F) and S symmetric. R is the rotation nearest to
// F; where det F < 0, the smallest principal stretch in S is negative  [Irving 2004].
#pragma once

#include "knead/math/svd.h"

namespace knead {

template <class T>
struct Polar3 {
    Mat3<T> R;
    Sym3<T> S;
};

template <class T>
CPU_GPU inline Polar3<T> polar(const Mat3<T>& F) {
    const Svd3<T> f = svd(F);
    return {f.U * transpose(f.V), congruence(f.V, f.sigma)};
}

template <class T>
CPU_GPU inline Mat3<T> polar_rotation(const Mat3<T>& F) {
    const Svd3<T> f = svd(F);
    return f.U * transpose(f.V);
}

}  // namespace knead
