// What one particle remembers of its past, as far as its material is concerned. A law names the
// members it uses; the others are never loaded or stored.
#pragma once

#include "knead/math/mat.h"

namespace knead {

enum MaterialColumns : unsigned {
    uses_F = 1u << 0,
    uses_b = 1u << 1,
    uses_dilation = 1u << 2,
    uses_hardening = 1u << 3,
    uses_volume_correction = 1u << 4,
    uses_weak = 1u << 5,
};

template <class T>
struct MaterialState {
    Mat3<T> F;            // deformation gradient: elastic, or total for foam that tears
    Sym3<T> b;            // unimodular elastic left Cauchy-Green tensor
    T dilation;           // J - 1
    T hardening;          // the flow rule's memory
    T volume_correction;  // log volume gained in tension
    T weak;               // 1 where torn, else 0

    CPU_GPU static MaterialState rest() {
        return {identity3<T>(), sym_identity<T>(), T(0), T(0), T(0), T(0)};
    }
};

}  // namespace knead
