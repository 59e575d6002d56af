#include "knead/math/sph_kernel.h"
#include "knead/parallel/exec.h"
#include "knead/points/incremental/stages.h"

namespace knead {

namespace {

// Below this the gradient of the colour field has no direction to trust; it is about 1 / h at a
// surface.
constexpr double least_gradient_h = 0.2;

// -sigma V lap(c) n / |n|, n = grad c, c the sum of V W_poly6.
template <class Real>
Vec3<Real> tension(const IncrementalWorkspace<Real>& work, const NearLists<Real>& lists,
                   std::size_t i, Real h, Real sigma) {
    const auto volume = [&](std::size_t j) { return work.pair_rows[j].motion.sph_volume; };
    const auto place = [&](std::size_t j) {
        return Vec3<Real>{work.place[4 * j], work.place[4 * j + 1], work.place[4 * j + 2]};
    };
    const Vec3<Real> x = place(i);
    const Real unit = Poly6Kernel::value(Real(0), h) / (h * h);
    Vec3<Real> n{0, 0, 0};
    Real laplacian = Real(-18) * unit * volume(i);
    for (int e = 0; e < lists.own(i); ++e) {
        const std::size_t j = lists.list(i)[e];
        const Vec3<Real> r = place(j) - x;
        const Real q2 = dot(r, r) / (h * h), rest = max(Real(1) - q2, Real(0));
        n += (Real(6) * unit * volume(j) * rest * rest) * r;
        laplacian += Real(6) * unit * volume(j) * rest * (Real(7) * q2 - Real(3));
    }
    const Real size = length(n);
    if (!(size * h > Real(least_gradient_h))) return {0, 0, 0};
    return (-sigma * volume(i) * laplacian / size) * n;
}

}  // namespace

template <class Real>
void surface_tension(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work) {
    if (!(settings.surface_tension > 0)) return;
    const Real h = static_cast<Real>(settings.support * settings.spacing);
    const Real sigma = static_cast<Real>(settings.surface_tension);
    for_each(work.size(), 256, [&](std::size_t i) {
        const Vec3<Real> f = tension(work, work.pressing_lists(settings), i, h, sigma);
        for (int a = 0; a < 3; ++a) work.force[4 * i + static_cast<std::size_t>(a)] += f[a];
    });
}

template void surface_tension(const IncrementalSettings&, IncrementalWorkspace<float>&);
template void surface_tension(const IncrementalSettings&, IncrementalWorkspace<double>&);

}  // namespace knead
