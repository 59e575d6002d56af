// With d_ij the kernel's gradient in the rest space of i, pointing from i to j, the force on i is
//     f_i = sum over j of  v_i v_j (T_i d_ij - T_j d_ji),
// which is the average of what i does to j and j to i; the 2 of Eq. 10 and the 1/2 of the average
// cancel. T_i d_ij is g(|F_i^-1 r|) S_i r, with S = T F^-1 and g the kernel's slope over distance.
#include "knead/points/density.h"
#include "knead/points/incremental/fit_weight.h"
#include "knead/points/incremental/force_sums.h"
#include "knead/points/incremental/rest_configuration.h"
#include "knead/points/incremental/start_memory.h"

namespace knead {

namespace {

// `uniform`: all of one matter and viscosity.
template <class Real, bool elastic, bool sph, bool uniform>
class PairForces {
    using P = Pack<Real>;
    static constexpr int lanes = pack_lanes<Real>;

public:
    PairForces(const IncrementalSettings& settings, const IncrementalWorkspace<Real>& work)
        : work_(work),
          lists_(work.pressing_lists(settings)),
          h_(static_cast<Real>(settings.support * settings.spacing)),
          slope_(static_cast<Real>(CosineKernel::slope) / (h_ * h_ * h_ * h_ * h_)),
          stiffness_(static_cast<Real>(settings.pressure)),
          viscosity_(static_cast<Real>(work.viscosity.empty() ? 0 : work.viscosity[0])),
          central_(settings.viscosity_form == ViscosityForm::central) {}

    // Fields are gathered where they are used, so that most of them stay in registers.
    Vec3<Real> operator()(std::size_t i) const {
        const PairRow<Real>& mine = work_.pair_rows[i];
        const P scale(slope_ * mine.place.volume);
        const std::uint32_t* list = lists_.list(i);
        const int n = lists_.all(i);
        Vec3<P> reach = splat(P(Real(0))), back = reach;
        for (int k = 0; k < n; k += lanes) {
            PlaceAndVolume<P> at;
            gather_part(work_.pair_rows, &PairRow<Real>::place, list + k, at);
            const Vec3<Real>& x = mine.place.x;
            const Vec3<P> r{at.x.x - P(x.x), at.x.y - P(x.y), at.x.z - P(x.z)};
            if constexpr (sph) add_contact(i, list + k, at.volume, r, mine, back);
            if constexpr (elastic) {
                const Sym3<P> rr{r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z};
                P g_i = slope_over_distance(measured(mine.elastic.metric, rr)) * at.volume;
                MetricAndStress<P> other;
                gather_elastic(list + k, 0, other);
                gather_elastic(list + k, 1, other);
                P g_j = slope_over_distance(measured(other.metric, rr)) * scale;
                if constexpr (!uniform) {
                    const auto same = same_matter(work_, i, list + k);
                    g_i = select(same, g_i, P(Real(0)));
                    g_j = select(same, g_j, P(Real(0)));
                }
                reach += g_i * r;
                gather_elastic(list + k, 2, other);
                back += g_j * (other.stress * r);
            }
        }
        const P zero(Real(0));
        const P sums[8] = {reach.x, reach.y, reach.z, back.x, back.y, back.z, zero, zero};
        Real sum[8];
        sum_lanes8(sums, sum);
        const Vec3<Real> own = mine.elastic.stress * Vec3<Real>{sum[0], sum[1], sum[2]};
        return (elastic ? slope_ : Real(0)) * own + Vec3<Real>{sum[3], sum[4], sum[5]};
    }

private:
    ALWAYS_INLINE void gather_elastic(const std::uint32_t* list, std::size_t four,
                                      MetricAndStress<P>& out) const {
        gather_four(work_.pair_rows, &PairRow<Real>::elastic, list, four, out);
    }
    // r m r for a metric m and the products rr = r r^T.
    template <class T>
    static P measured(const Sym3<T>& m, const Sym3<P>& rr) {
        return (P(m.xx) * rr.xx + P(m.yy) * rr.yy + P(m.zz) * rr.zz) +
               (P(m.xy) * rr.xy + P(m.xz) * rr.xz + P(m.yz) * rr.yz);
    }
    // Of the two that meet the less viscous one decides.
    ALWAYS_INLINE P viscosity(std::size_t i, const std::uint32_t* list) const {
        if (uniform || work_.own_viscosity.empty()) return P(viscosity_);
        P other;
        for (int k = 0; k < lanes; ++k) other.set(k, work_.own_viscosity[list[k]]);
        return min(other, P(work_.own_viscosity[i]));
    }
    // V_i V_j ((p_i + p_j) / 2 W'_spiky r / |r| + eta (u_j - u_i) lap W)  [Müller 2003]
    // or, along r alone, central_viscosity eta (u_j - u_i)_r lap W.
    ALWAYS_INLINE void add_contact(std::size_t i, const std::uint32_t* list, const P& v_j,
                                   const Vec3<P>& r, const PairRow<Real>& mine,
                                   Vec3<P>& sum) const {
        VelocityAndVolume<P> other;
        gather_part(work_.pair_rows, &PairRow<Real>::motion, list, other);
        const Real inv_h = Real(1) / h_;
        const Real unit = SpikyKernel::gradient(Real(0), h_);  // -45 / (pi h^4)
        const Real v_i = mine.place.volume, V_i = mine.motion.sph_volume;
        const P V_j = other.sph_volume;
        const P Vp_i(Real(0.5) * unit * sph_pressing(stiffness_, v_i, V_i));
        const P less_j = positive_part(v_j - V_j);  // Vp_j is the stiffness times that
        const P square = dot(r, r);
        const P inverse = inverse_sqrt(square);
        const P rest = positive_part(P(Real(1)) - square * inverse * P(inv_h));
        const P press = (V_j * Vp_i + P(Real(0.5) * unit * stiffness_ * V_i) * less_j) *
                        (rest * rest) * inverse;
        const P drag = P(-unit * inv_h * V_i) * viscosity(i, list) * V_j * rest;
        const Vec3<P>& u_j = other.u;
        const Vec3<Real>& u_i = mine.motion.u;
        const Vec3<P> du{u_j.x - P(u_i.x), u_j.y - P(u_i.y), u_j.z - P(u_i.z)};
        if (central_) {
            const P along = P(Real(central_viscosity)) * drag * (dot(du, r) * inverse);
            sum += (press + along * inverse) * r;
        } else {
            sum += press * r;
            sum += drag * du;
        }
    }

    const IncrementalWorkspace<Real>& work_;
    const NearLists<Real>& lists_;
    Real h_, slope_, stiffness_, viscosity_;
    bool central_;
};

template <class Real, bool elastic, bool sph, bool uniform>
void run(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work) {
    const PairForces<Real, elastic, sph, uniform> force(settings, work);
    for_each(work.size(), 128, [&](std::size_t i) {
        const Vec3<Real> f = force(i);
        for (int a = 0; a < 3; ++a) work.force[4 * i + static_cast<std::size_t>(a)] = f[a];
    });
}

// The share of the force that is the fit's own: with w its weights, A its matrix and tau the
// Kirchhoff stress, neighbours get the forces w v tau A^-1 r, which do just the work that changes
// the energy of F. The kernel's forces do a little more or less, and what they do more gathers in
// quiet matter, as disorder; a share of these is enough to take it away.
template <class Real>
class FitForces {
    using P = Pack<Real>;
    static constexpr int lanes = pack_lanes<Real>;

public:
    FitForces(const IncrementalSettings& settings, const IncrementalWorkspace<Real>& work)
        : work_(work),
          inv_h2_(static_cast<Real>(1 / (settings.support * settings.spacing)) *
                  static_cast<Real>(1 / (settings.support * settings.spacing))),
          squared_(settings.weight_power == 2) {}

    Vec3<Real> operator()(std::size_t i) const {
        const Real* x = work_.place.data() + 4 * i;
        const std::uint32_t* list = work_.lists.list(i);
        Vec3<P> reach = splat(P(Real(0))), back = reach;
        for (int k = 0; k < work_.lists.all(i); k += lanes) {
            P at[4];
            FitRow<P> other;
            gather4(work_.place.data(), 4, list + k, at);
            gather_row(work_.fit_rows, list + k, other);
            const Vec3<P> r{at[0] - P(x[0]), at[1] - P(x[1]), at[2] - P(x[2])};
            const P rest = positive_part(P(Real(1)) - P(inv_h2_) * dot(r, r));
            P w = rest * rest * rest;
            if (squared_) w = w * w;
            if (!work_.one_matter) w = select(same_matter(work_, i, list + k), w, P(Real(0)));
            const Vec3<P> wr = w * r;
            reach += wr;
            back += other.matrix * wr;
        }
        return work_.fit_rows[i].matrix * sum_lanes(reach) + sum_lanes(back);
    }

private:
    const IncrementalWorkspace<Real>& work_;
    Real inv_h2_;
    bool squared_;
};

}  // namespace

template <class Real>
void pair_forces(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work) {
    work.force.assign(4 * work.size(), Real(0));
    const bool sph = settings.pressure > 0 || work.any_viscosity();
    const bool uniform = work.one_matter && work.one_viscosity();
    if (work.all_from_rest()) {
        if (sph && work.one_viscosity()) run<Real, false, true, true>(settings, work);
        if (sph && !work.one_viscosity()) run<Real, false, true, false>(settings, work);
    } else if (sph && uniform)
        run<Real, true, true, true>(settings, work);
    else if (sph)
        run<Real, true, true, false>(settings, work);
    else if (uniform)
        run<Real, true, false, true>(settings, work);
    else
        run<Real, true, false, false>(settings, work);
    if (work.any_by_fit) add_forces(work, false, FitForces<Real>(settings, work));
    if (settings.keeps_rest_configuration())
        add_rest_forces(settings, work);
    else if (work.any_from_rest())
        add_start_forces(settings, work);
}

template void pair_forces(const IncrementalSettings&, IncrementalWorkspace<float>&);
template void pair_forces(const IncrementalSettings&, IncrementalWorkspace<double>&);

}  // namespace knead
