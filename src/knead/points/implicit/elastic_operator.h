// Stress of a pack of rows with frozen rotations, times volume and dt^2.
#pragma once

#include "knead/points/implicit/group_kernels.h"
#include "knead/points/implicit/workspace.h"

namespace knead {

// R sigma(sym(R^T G)) = mu (G + R G^T R) + lambda (R : G) R.
template <class Real>
struct LinearStress {
    using P = Pack<Real>;
    const ImplicitWorkspace<Real>& work;

    Mat3<P> operator()(std::size_t begin, int count, const Mat3<P>& G) const {
        const Mat3<P> R = load_matrices(work.R, begin, count);
        const P mu = P::load_part(work.mu.data() + begin, count, Real(0));
        const P lambda = P::load_part(work.lambda.data() + begin, count, Real(0));
        P inner(Real(0));
        for (int k = 0; k < 9; ++k) inner += R[k] * G[k];
        return mu * (G + R * (transpose(G) * R)) + (lambda * inner) * R;
    }
};

// The same of F + G, less what the identity strain has: stress from eps = sym(R^T (F + G)) - I.
template <class Real>
struct AffineStress {
    using P = Pack<Real>;
    const ImplicitWorkspace<Real>& work;

    Mat3<P> operator()(std::size_t begin, int count, const Mat3<P>& G) const {
        const Mat3<P> R = load_matrices(work.R, begin, count);
        const Mat3<P> F = load_matrices(work.F, begin, count) + G;
        const P mu = P::load_part(work.mu.data() + begin, count, Real(0));
        const P lambda = P::load_part(work.lambda.data() + begin, count, Real(0));
        const Mat3<P> U = transpose(R) * F - identity3<P>();
        return R * (mu * (U + transpose(U)) + (lambda * trace(U)) * identity3<P>());
    }
};

}  // namespace knead
