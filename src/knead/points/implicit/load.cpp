// load: particles of all phases side by side.
#include <cmath>

#include "knead/math/svd.h"
#include "knead/points/implicit/stages.h"

namespace knead {

namespace {

constexpr double least_stretch = 1e-3;  // of the largest, that is inverted

// F^-1; principal stretches that are next to nothing are left out.
template <class Real>
Mat3<Real> safe_inverse(const Mat3<Real>& F) {
    const Real size = norm_squared(F), det = determinant(F);
    // det over size^(3/2) is at most the smallest over the largest stretch
    if (det > Real(0.05) * size * sqrt(size)) return inverse(F);
    const Svd3<Real> f = svd(F);
    Vec3<Real> s{Real(0), Real(0), Real(0)};
    for (int k = 0; k < 3; ++k)
        if (std::fabs(f.sigma[k]) > Real(least_stretch) * f.sigma.x) s[k] = Real(1) / f.sigma[k];
    return f.V * diagonal(s) * transpose(f.U);
}

template <class Real>
void load_phase(const ImplicitSettings& settings, const ImplicitLaw<Real>& law,
                const Particles<Real>& p, std::size_t first, ImplicitWorkspace<Real>& work) {
    for_each(p.size(), 1024, [&](std::size_t i) {
        const std::size_t row = first + i;
        const double volume = static_cast<double>(p.volume.at(i));
        work.x[row] = p.x.vec(i);
        work.body[row] = p.body.at(i);
        work.mass[row] = p.mass.at(i);
        work.support[row] = static_cast<Real>(settings.support * std::cbrt(volume));
        work.shear[row] = static_cast<Real>(law.shear * volume);
        work.lame[row] = static_cast<Real>(law.lame * volume);
        const Mat3<Real> F = p.F.mat(i);
        const bool keeps = settings.is_lazy() && keeps_rest(p.plastic_F.mat(i));
        const Mat3<Real> B = keeps ? p.plastic_F.mat(i) : safe_inverse(F);
        work.keeps_rest[row] = keeps ? 1 : 0;
        for (int k = 0; k < 9; ++k) work.F[k][row] = F[k], work.to_rest[k][row] = B[k];
        const Real unit = Real(1) / work.support[row];
        for (int r = 0; r < 3; ++r)
            work.rest_rows[3 * row + static_cast<std::size_t>(r)] = to_lanes(unit * B.row(r));
        work.source[row] = settings.is_lazy() ? p.rest_x.vec(i) : work.x[row];
    });
}

}  // namespace

template <class Real>
void load(const ImplicitSettings& settings, const std::vector<ImplicitLaw<Real>>& laws,
          const std::vector<Phase<Real>>& phases, ImplicitWorkspace<Real>& work) {
    work.support_share = settings.support;
    work.first.assign(1, 0);
    for (const auto& phase : phases)
        work.first.push_back(work.first.back() + phase.particles.size());
    const std::size_t n = work.first.back();
    work.x.resize(n), work.body.resize(n), work.source.resize(n);
    work.keeps_rest.resize(n), work.rest_rows.resize(3 * n);
    for (auto* a : {&work.mass, &work.support, &work.shear, &work.lame}) a->resize(n);
    for (int k = 0; k < 9; ++k) work.F[k].resize(n), work.to_rest[k].resize(n);
    for (std::size_t p = 0; p < phases.size(); ++p)
        load_phase(settings, laws[static_cast<std::size_t>(phases[p].material)],
                   phases[p].particles, work.first[p], work);
}

template <class Real>
std::size_t ImplicitWorkspace<Real>::bytes() const {
    const std::size_t n = size();
    return near.bytes() + n * (2 * sizeof(Vec3d) + 41 * sizeof(Real) + 15 * sizeof(Lanes<Real>));
}

template struct ImplicitWorkspace<float>;
template struct ImplicitWorkspace<double>;
template void load(const ImplicitSettings&, const std::vector<ImplicitLaw<float>>&,
                   const std::vector<Phase<float>>&, ImplicitWorkspace<float>&);
template void load(const ImplicitSettings&, const std::vector<ImplicitLaw<double>>&,
                   const std::vector<Phase<double>>&, ImplicitWorkspace<double>&);

}  // namespace knead
