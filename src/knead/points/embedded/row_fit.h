// The linear map that takes one particle's rest vectors to other vectors of its neighbours, by
// weighted least squares [Jones 2014, Eq. 2].
#pragma once

#include "knead/math/mat.h"
#include "knead/particles/links.h"

namespace knead {

// `seen(j)` is the vector to neighbour j as it is now; `h` the support. The identity where the rest
// vectors do not span space.
template <class Real, class Seen>
Mat3<Real> fit_row(const Links<Real>& links, std::size_t i, Real h, const Seen& seen) {
    Mat3<Real> A{}, B{};
    for (std::size_t s = links.first(i); s < links.end(i); ++s) {
        const Vec3<Real> u = (Real(1) / h) * links.rest(s);
        const Real t = max(Real(1) - length_squared(u), Real(0));
        const Real w = t * t * t;
        A = A + outer(w * u, u);
        B = B + outer((w / h) * seen(static_cast<std::size_t>(links.to[s])), u);
    }
    const Real det = determinant(A), size = trace(A);
    if (!(det > Real(1e-5) * size * size * size)) return identity3<Real>();
    return B * inverse(A);
}

}  // namespace knead
