#include "knead/parallel/exec.h"
#include "knead/points/gather.h"
#include "knead/points/incremental/fit_weight.h"
#include "knead/points/incremental/stages.h"

namespace knead {

namespace {

// sum of w u r^T over the own list. Displacements u are fitted rather than positions, dF - I rather
// than dF, so that small increments keep their digits.
template <class Real, bool fuse>
void fit(const Array<Real>& measured, int power, std::size_t i, Real h,
         IncrementalWorkspace<Real>& work) {
    using P = Pack<Real>;
    constexpr int lanes = pack_lanes<Real>;
    const Real *x = measured.data() + 4 * i, *u = work.move.data() + 4 * i;
    const std::uint32_t* list = work.lists.list(i);
    const int own = work.lists.own(i);
    const P inverse(Real(1) / (h * h)), zero(Real(0));
    P B[9] = {zero, zero, zero, zero, zero, zero, zero, zero, zero};
    for (int k = 0; k < own; k += lanes) {
        P q[4], y[4];
        gather4(measured.data(), 4, list + k, q);
        gather4(work.move.data(), 4, list + k, y);
        const Vec3<P> r{q[0] - P(x[0]), q[1] - P(x[1]), q[2] - P(x[2])};
        const P rest = max(P(Real(1)) - dot(r, r) * inverse, zero);
        auto counts = first_lanes<Real, lanes>(own - k);
        if constexpr (!fuse) counts = counts && same_body(work, i, list + k);
        const Vec3<P> a = select(counts, fit_weight(rest, power), zero) * r;
        for (int row = 0; row < 3; ++row) {
            const P d = y[row] - P(u[row]);
            B[3 * row] += d * a.x, B[3 * row + 1] += d * a.y, B[3 * row + 2] += d * a.z;
        }
    }
    Real* sums = work.moments.data() + moment::stride * i;
    sum_lanes8(B, sums + moment::B);
    sums[moment::B_zz] = sum_lanes(B[8]);
}

}  // namespace

template <class Real>
void fit_increment(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work) {
    const bool keeps_rest = settings.memory == DeformationMemory::rest_configuration;
    const Array<Real>& measured = keeps_rest ? work.rest : work.place;
    const Real h = static_cast<Real>(settings.support * settings.spacing);
    for_each(work.size(), 256, [&](std::size_t i) {
        if (settings.fuse)
            fit<Real, true>(measured, settings.weight_power, i, h, work);
        else
            fit<Real, false>(measured, settings.weight_power, i, h, work);
    });
}

template void fit_increment(const IncrementalSettings&, IncrementalWorkspace<float>&);
template void fit_increment(const IncrementalSettings&, IncrementalWorkspace<double>&);

}  // namespace knead
