// Loaders: what a pack of particles brings to the grid, one for each kind of phase. Each is made of
// two parts, what moves and what pushes; an operator of a solve loads the second alone.
#pragma once

#include "knead/mpm/transfer/scatter.h"

namespace knead {

template <class Real>
struct PackReader {
    std::size_t row;
    int count;
    Pack<Real> operator()(const Real* plane) const {
        return Pack<Real>::load_part(plane + row, count, Real(0));
    }
};

// Mass, momentum and, but for FLIP, affine momentum.
template <class Real, Transfer transfer>
inline void load_motion(const Particles<Real>& p, std::size_t row, int count,
                        ScatterPack<Real>& out) {
    using P = Pack<Real>;
    const P zero(Real(0));
    const PackReader<Real> load{row, count};
    const P m = load(p.mass.plane(0));
    P v[3];
    for (int a = 0; a < 3; ++a) v[a] = m * load(p.v.plane(a));
    interleave4(m, v[0], v[1], v[2], out.momentum);
    if constexpr (is_affine(transfer))
        for (int a = 0; a < 3; ++a)
            interleave4(zero, m * load(p.C.plane(a)), m * load(p.C.plane(3 + a)),
                        m * load(p.C.plane(6 + a)), out.affine[a]);
}

// Neither mass nor motion.
template <class Real>
inline void load_no_motion(ScatterPack<Real>& out) {
    std::fill_n(out.momentum, std::size(out.momentum), Real(0));
    for (auto& column : out.affine) std::fill_n(column, std::size(column), Real(0));
}

// Force by the slopes of the weights, from the columns of a matrix.
template <class Real, Transfer transfer>
inline void store_force(const Pack<Real> (&columns)[3][3], ScatterPack<Real>& out) {
    const Pack<Real> zero(Real(0));
    for (int a = 0; a < 3; ++a) {
        const auto& c = columns[a];
        if constexpr (transfer == Transfer::apic)
            interleave4(zero, c[0], c[1], c[2], out.force[a]);
        else
            interleave4(c[0], c[1], c[2], zero, out.force[a]);
    }
}

// Volume: f_i = -V tau grad w with the symmetric Kirchhoff stress; times dt for APIC.
template <class Real, Transfer transfer>
inline void load_stress(const Particles<Real>& p, std::size_t row, int count, Real dt,
                        ScatterPack<Real>& out) {
    using P = Pack<Real>;
    const PackReader<Real> load{row, count};
    const P scale = -load(p.volume.plane(0)) * (transfer == Transfer::apic ? dt : Real(1));
    P t[6];
    for (int k = 0; k < 6; ++k) t[k] = scale * load(p.stress.plane(k));
    const P columns[3][3] = {{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}};
    store_force<Real, transfer>(columns, out);
}

// Element: f_i = A grad w with any matrix A, such as -V sum P_b d_b^T over the columns across a
// sheet or curve [Jiang 2017, section 9.2]; APIC, so times dt.
template <class Real>
inline void load_matrix(const Column<Real, 9>& A, std::size_t row, int count, Real dt,
                        ScatterPack<Real>& out) {
    using P = Pack<Real>;
    const PackReader<Real> load{row, count};
    P columns[3][3];
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < 3; ++k) columns[a][k] = P(dt) * load(A.plane(3 * k + a));
    store_force<Real, Transfer::apic>(columns, out);
}

// Vertex: f_i = w f, on top of the momentum; APIC, so times dt.
template <class Real>
inline void add_point_force(const Column<Real, 3>& f, std::size_t row, int count, Real dt,
                            ScatterPack<Real>& out) {
    using P = Pack<Real>;
    const PackReader<Real> load{row, count};
    P m, v[3];
    deinterleave4(out.momentum, m, v[0], v[1], v[2]);
    for (int a = 0; a < 3; ++a) v[a] += P(dt) * load(f.plane(a));
    interleave4(m, v[0], v[1], v[2], out.momentum);
    for (auto& column : out.force) std::fill_n(column, std::size(column), Real(0));
}

template <class Real, Transfer transfer>
struct VolumeLoader {
    const Particles<Real>& p;
    Real dt;
    void operator()(std::size_t row, int count, ScatterPack<Real>& out) const {
        load_motion<Real, transfer>(p, row, count, out);
        load_stress<Real, transfer>(p, row, count, dt, out);
    }
};

template <class Real>
struct VertexLoader {
    const Particles<Real>& p;
    const Column<Real, 3>& force;  // [N]
    Real dt;
    void operator()(std::size_t row, int count, ScatterPack<Real>& out) const {
        load_motion<Real, Transfer::apic>(p, row, count, out);
        add_point_force(force, row, count, dt, out);
    }
};

template <class Real>
struct ElementLoader {
    const Particles<Real>& p;
    const Column<Real, 9>& force;  // A [N m]
    Real dt;
    void operator()(std::size_t row, int count, ScatterPack<Real>& out) const {
        load_motion<Real, Transfer::apic>(p, row, count, out);
        load_matrix(force, row, count, dt, out);
    }
};

}  // namespace knead
