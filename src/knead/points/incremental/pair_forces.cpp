// With d_ij the kernel's gradient in the rest space of i, pointing from i to j, the force on i is
//     f_i = sum over j of  v_i v_j (T_i d_ij - T_j d_ji),
// which is the average of what i does to j and j to i; the 2 of Eq. 10 and the 1/2 of the average
// cancel. T_i is taken out of the sum.
#include "knead/parallel/exec.h"
#include "knead/points/density.h"
#include "knead/points/gather.h"
#include "knead/points/incremental/stages.h"

namespace knead {

namespace {

template <class Real>
Mat3<Real> matrix_at(const Real* row) {
    Mat3<Real> m;
    for (int k = 0; k < 9; ++k) m[k] = row[k];
    return m;
}

// The kernel's slope over distance, without its constant: sin((1 - |q| / h) pi / 2) / |q|.
template <class P>
ALWAYS_INLINE P pull(const Vec3<P>& q, const P& inv_h) {
    const P square = dot(q, q);
    const P safe = max(square, P(Element<P>(1e-24)));
    const P length = sqrt(safe);
    const P s = sine_of_quarters(max(P(Element<P>(1)) - length * inv_h, P(Element<P>(0))));
    return select(square > P(Element<P>(1e-24)), s / length, P(Element<P>(0)));
}

template <class Real, bool sph, bool fuse>
class PairForces {
    using P = Pack<Real>;
    static constexpr int lanes = pack_lanes<Real>;

public:
    PairForces(const IncrementalSettings& settings, const IncrementalWorkspace<Real>& work)
        : work_(work),
          keeps_rest_(settings.memory == DeformationMemory::rest_configuration),
          h_(static_cast<Real>(settings.support * settings.spacing)),
          viscosity_(static_cast<Real>(settings.viscosity)) {}

    Vec3<Real> operator()(std::size_t i) const {
        const Real* mine = row(i);
        const Mat3<Real> to_rest = matrix_at(mine + shown::to_rest);
        const Vec3<Real> x = at(work_.place, i), x_rest = keeps_rest_ ? at(work_.rest, i) : x;
        const P inv_h(Real(1) / h_);
        const std::uint32_t* list = work_.lists.list(i);
        const int n = work_.lists.all(i);
        Vec3<P> reach = splat(P(Real(0))), back = reach, contact = reach;
        for (int k = 0; k < n; k += lanes) {
            const std::uint32_t* index = list + k;
            const Vec3<P> r = vectors(work_.place, index, x);
            const Vec3<P> rest = keeps_rest_ ? vectors(work_.rest, index, x_rest) : r;
            P other[20];
            for (std::size_t f = 0; f < 20; f += 4)
                gather4(work_.row.data() + f, shown::stride, index, other + f);

            const Vec3<P> q_i = times(to_rest, rest);
            const Vec3<P> q_j = times(other + shown::to_rest, rest);
            P g_i = pull(q_i, inv_h) * other[shown::volume], g_j = pull(q_j, inv_h);
            if constexpr (!fuse) {
                const auto same = other[shown::body] == P(mine[shown::body]);
                g_i = select(same, g_i, P(Real(0)));
                g_j = select(same, g_j, P(Real(0)));
            }
            reach += g_i * q_i;
            back += g_j * times(other + shown::traction, q_j);
            if constexpr (sph) contact += contact_force(index, r, mine, inv_h);
        }
        const Mat3<Real> traction = matrix_at(mine + shown::traction);  // v_i T_i
        const Real h4 = h_ * h_ * h_ * h_, slope = static_cast<Real>(CosineKernel::slope) / h4;
        const Vec3<Real> elastic =
            traction * sum_lanes(reach) + mine[shown::volume] * sum_lanes(back);
        return slope * elastic + sum_lanes(contact);
    }

private:
    const Real* row(std::size_t i) const { return work_.row.data() + shown::stride * i; }
    static Vec3<Real> at(const Array<Real>& place, std::size_t i) {
        return {place[4 * i], place[4 * i + 1], place[4 * i + 2]};
    }
    static Vec3<P> vectors(const Array<Real>& place, const std::uint32_t* index,
                           const Vec3<Real>& x) {
        P q[4];
        gather4(place.data(), 4, index, q);
        return {q[0] - P(x.x), q[1] - P(x.y), q[2] - P(x.z)};
    }
    static Vec3<P> times(const Mat3<Real>& m, const Vec3<P>& a) {
        return {P(m.xx) * a.x + P(m.xy) * a.y + P(m.xz) * a.z,
                P(m.yx) * a.x + P(m.yy) * a.y + P(m.yz) * a.z,
                P(m.zx) * a.x + P(m.zy) * a.y + P(m.zz) * a.z};
    }
    static Vec3<P> times(const P* m, const Vec3<P>& a) {
        return {m[0] * a.x + m[1] * a.y + m[2] * a.z, m[3] * a.x + m[4] * a.y + m[5] * a.z,
                m[6] * a.x + m[7] * a.y + m[8] * a.z};
    }
    // V_i V_j ((p_i + p_j) / 2 W'_spiky r / |r| + eta (u_j - u_i) lap W)  [Müller 2003]
    Vec3<P> contact_force(const std::uint32_t* index, const Vec3<P>& r, const Real* mine,
                          const P& inv_h) const {
        P other[8];
        gather4(work_.row.data() + shown::velocity, shown::stride, index, other);
        gather4(work_.row.data() + shown::velocity + 4, shown::stride, index, other + 4);
        const P p_j = other[shown::pressure - shown::velocity];
        const P volumes = P(mine[shown::sph_volume]) * other[shown::sph_volume - shown::velocity];
        const P square = dot(r, r), tiny(Real(1e-24));
        const P distance = sqrt(max(square, tiny));
        const P rest = max(P(Real(1)) - distance * inv_h, P(Real(0)));
        const P unit = SpikyKernel::gradient(P(Real(0)), P(h_));  // -45 / (pi h^4)
        const P press =
            select(square > tiny,
                   P(Real(0.5)) * (P(mine[shown::pressure]) + p_j) * unit * rest * rest / distance,
                   P(Real(0)));
        const P drag = P(-viscosity_) * unit * inv_h * rest;
        const Vec3<P> u{other[0] - P(mine[shown::velocity]),
                        other[1] - P(mine[shown::velocity + 1]),
                        other[2] - P(mine[shown::velocity + 2])};
        return volumes * (press * r + drag * u);
    }

    const IncrementalWorkspace<Real>& work_;
    bool keeps_rest_;
    Real h_, viscosity_;
};

template <class Real, bool sph, bool fuse>
void run(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work) {
    const PairForces<Real, sph, fuse> force(settings, work);
    for_each(work.size(), 128, [&](std::size_t i) {
        const Vec3<Real> f = force(i);
        for (int a = 0; a < 3; ++a) work.force[4 * i + static_cast<std::size_t>(a)] = f[a];
    });
}

}  // namespace

template <class Real>
void pair_forces(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work) {
    work.force.resize(4 * work.size());
    const bool sph = settings.pressure > 0 || settings.viscosity > 0;
    if (sph && settings.fuse)
        run<Real, true, true>(settings, work);
    else if (sph)
        run<Real, true, false>(settings, work);
    else if (settings.fuse)
        run<Real, false, true>(settings, work);
    else
        run<Real, false, false>(settings, work);
}

template void pair_forces(const IncrementalSettings&, IncrementalWorkspace<float>&);
template void pair_forces(const IncrementalSettings&, IncrementalWorkspace<double>&);

}  // namespace knead
