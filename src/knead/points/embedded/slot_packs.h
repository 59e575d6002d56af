// The slots of one particle a pack at a time: rest vectors, vectors to the neighbours, weights.
// Free slots behind the last link hold zeros, and their row is the particle's own.
#pragma once

#include "knead/math/mat.h"
#include "knead/particles/links.h"
#include "knead/points/gather.h"
#include "knead/points/lanes.h"

namespace knead {

template <class Real>
inline Vec3<Pack<Real>> load_rest(const Links<Real>& links, std::size_t slot) {
    return {Pack<Real>::load(&links.u[0][slot]), Pack<Real>::load(&links.u[1][slot]),
            Pack<Real>::load(&links.u[2][slot])};
}
template <class Real>
inline void store_rest(Links<Real>& links, std::size_t slot, const Vec3<Pack<Real>>& u) {
    for (int a = 0; a < 3; ++a) u[a].store(&links.u[a][slot]);
}

// x_j - x_i for the neighbours j in the slots from `slot` on.
template <class Real>
inline Vec3<Pack<Real>> to_neighbours(const Links<Real>& links, std::size_t slot,
                                      const Array<Lanes<double>>& x, std::size_t i) {
    constexpr std::size_t lanes = pack_lanes<Real>;
    const Lanes<double> own = x[i];
    Real rows[4 * lanes];
    for (std::size_t k = 0; k < lanes; ++k)
        narrow<Real>(x[static_cast<std::size_t>(links.to[slot + k])] - own).store(rows + 4 * k);
    Vec3<Pack<Real>> r;
    Pack<Real> unused;
    deinterleave4(rows, r.x, r.y, r.z, unused);
    return r;
}

// The fourth numbers of rows of four, one a slot.
template <class Real>
inline Pack<Real> fourth_of(const Array<Lanes<Real>>& rows, std::size_t slot) {
    Pack<Real> x, y, z, w;
    deinterleave4(reinterpret_cast<const Real*>(&rows[slot]), x, y, z, w);
    return w;
}

template <class Real>
inline Mat3<Pack<Real>> in_all_lanes(const Mat3<Real>& m) {
    Mat3<Pack<Real>> result;
    for (int k = 0; k < 9; ++k) result[k] = Pack<Real>(m[k]);
    return result;
}

}  // namespace knead
