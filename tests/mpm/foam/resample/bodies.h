// Foam bodies that have been stretched, for tests of resampling.
#pragma once

#include <cmath>

#include "knead/mpm/foam/resample/avoid_a_void.h"
#include "knead/mpm/foam/resample/cell_search.h"

namespace knead::testing {

// n^3 particles on a lattice of spacing dx / 2 (one to a cell of that width), with every column of
// foam that tears, at rest.
template <class Real>
Phase<Real> foam_lattice(int n, double dx, double density = 77.7) {
    Phase<Real> phase;
    auto& p = phase.particles;
    const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n * n);
    p.id.create(size);
    p.parent.create(size, -1);
    p.body.create(size);
    p.x.create(size);
    p.v.create(size);
    p.mass.create(size, static_cast<Real>(density * dx * dx * dx / 8));
    p.volume.create(size, static_cast<Real>(dx * dx * dx / 8));
    p.F.create(size);
    p.b.create(size);
    p.dilation.create(size);
    p.weak.create(size);
    p.stress.create(size);
    std::size_t row = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k, ++row) {
                p.id.at(row) = static_cast<std::int64_t>(row);
                p.x.set(row, dx / 2 * Vec3d{i + 0.5, j + 0.5, k + 0.5});
                p.F.set(row, identity3<Real>());
                p.b.set(row, sym_identity<Real>());
            }
    return phase;
}

// x <- A x for all particles; F and b follow as for an elastic solid.
template <class Real>
void deform(Particles<Real>& p, const Mat3d& A) {
    for (std::size_t i = 0; i < p.size(); ++i) {
        p.x.set(i, A * p.x.vec(i));
        const Mat3d F = A * static_cast<Mat3d>(p.F.mat(i));
        const double J = determinant(F);
        p.F.set(i, static_cast<Mat3<Real>>(F));
        p.dilation.at(i) = static_cast<Real>(J - 1);
        const Sym3d b = std::pow(J, -2.0 / 3.0) * gram_rows(F);
        for (int k = 0; k < 6; ++k) p.b.at(i, k) = static_cast<Real>(b[k]);
    }
}

template <class Real>
void shift(Particles<Real>& p, const Vec3d& by) {
    for (std::size_t i = 0; i < p.size(); ++i) p.x.set(i, p.x.vec(i) + by);
}

inline Mat3d stretch_along_x(double s) {
    return diagonal(Vec3d{s, 1 / std::sqrt(s), 1 / std::sqrt(s)});
}

inline Mat3d rotation_about(const Vec3d& axis, double angle) {
    const Vec3d n = normalized(axis);
    const Mat3d cross{0, -n.z, n.y, n.z, 0, -n.x, -n.y, n.x, 0};
    return identity3<double>() + std::sin(angle) * cross + (1 - std::cos(angle)) * (cross * cross);
}

template <class Real>
std::vector<Phase<Real>> stretched_foam(int n, double dx, double s) {
    std::vector<Phase<Real>> phases{foam_lattice<Real>(n, dx)};
    deform(phases[0].particles, stretch_along_x(s));
    return phases;
}

// Phases, and the next free id.
template <class Real>
struct Foam {
    std::vector<Phase<Real>> phases;
    double dx;
    std::int64_t next_id = 0;
    std::int64_t step = 0;

    Foam(std::vector<Phase<Real>> start, double spacing) : phases(std::move(start)), dx(spacing) {
        for (const auto& phase : phases)
            next_id += static_cast<std::int64_t>(phase.particles.size());
    }
    ResampleReport resample() { return avoid_a_void(phases, dx, 42, step++, next_id); }
};

}  // namespace knead::testing
