#include "knead/parallel/exec.h"
#include "knead/points/gather.h"
#include "knead/points/incremental/stages.h"
#include "knead/points/mls.h"

namespace knead {

namespace {

// Displacements are fitted rather than positions, dF - I rather than dF, so that small increments
// keep their digits. The weight is w^power, w = (1 - r^2 / h^2)^3 up to a constant, since the
// paper scales the columns of both matrices by w [Gerszewski 2009, Eq. 2 to 7].
template <class Real>
void fit(const Array<Real>& place, const IncrementalSettings& settings, std::size_t i, Real h,
         IncrementalWorkspace<Real>& work) {
    using P = Pack<Real>;
    constexpr int lanes = pack_lanes<Real>;
    const Real *x = place.data() + 4 * i, *u = work.move.data() + 4 * i;
    const std::uint32_t* list = work.lists.list(i);
    const int own = work.lists.own(i);
    const P inverse(Real(1) / (h * h)), zero(Real(0));
    auto m = MlsMoments<P>::zero();
    P counted = zero;
    for (int k = 0; k < own; k += lanes) {
        P q[4], y[4];
        gather4(place.data(), 4, list + k, q);
        gather4(work.move.data(), 4, list + k, y);
        const Vec3<P> r{q[0] - P(x[0]), q[1] - P(x[1]), q[2] - P(x[2])};
        const P rest = max(P(Real(1)) - dot(r, r) * inverse, zero);
        P w = rest * rest * rest;
        if (settings.weight_power == 2) w = w * w;
        auto counts = first_lanes<Real, lanes>(own - k) && rest > zero;
        if (!settings.fuse) counts = counts && y[3] == P(u[3]);
        w = select(counts, w, zero);
        counted += select(counts, P(Real(1)), zero);
        m.add(w, r, {y[0] - P(u[0]), y[1] - P(u[1]), y[2] - P(u[2])});
    }
    const P sums[16] = {m.A.xx, m.A.yy, m.A.zz, m.A.xy, m.A.xz, m.A.yz, m.B.xx, m.B.xy,
                        m.B.xz, m.B.yx, m.B.yy, m.B.yz, m.B.zx, m.B.zy, m.B.zz, counted};
    sum_lanes8(sums, work.moments.data() + 16 * i);
    sum_lanes8(sums + 8, work.moments.data() + 16 * i + 8);
}

}  // namespace

template <class Real>
void fit_increment(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work) {
    const bool keeps_rest = settings.memory == DeformationMemory::rest_configuration;
    const Array<Real>& place = keeps_rest ? work.rest : work.place;
    const Real h = static_cast<Real>(settings.support * settings.spacing);
    work.moments.resize(16 * work.size());
    for_each(work.size(), 256, [&](std::size_t i) { fit(place, settings, i, h, work); });
}

template void fit_increment(const IncrementalSettings&, IncrementalWorkspace<float>&);
template void fit_increment(const IncrementalSettings&, IncrementalWorkspace<double>&);

}  // namespace knead
