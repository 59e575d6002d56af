// With d_ij the kernel's gradient in the rest space of i, pointing from i to j, the force on i is
//     f_i = sum over j of  v_i v_j (T_i d_ij - T_j d_ji),
// which is the average of what i does to j and j to i; the 2 of Eq. 10 and the 1/2 of the average
// cancel. T_i d_ij is g(|F_i^-1 r|) S_i r, with S = T F^-1 and g the kernel's slope over distance.
#include "knead/math/inverse_sqrt.h"
#include "knead/parallel/exec.h"
#include "knead/points/density.h"
#include "knead/points/incremental/fit_weight.h"
#include "knead/points/incremental/stages.h"

namespace knead {

namespace {

// The kernel's slope over distance, without its constant, from the square of a distance d in units
// of h: cos(d pi / 2) / d. It is multiplied by a vector that is 0 where d is.
template <class P>
ALWAYS_INLINE P pull(const P& square) {
    return cosine_of_quarters(square) * inverse_sqrt(square);
}

// `uniform`: all of one matter and viscosity.
template <class Real, bool elastic, bool sph, bool uniform>
class PairForces {
    using P = Pack<Real>;
    static constexpr int lanes = pack_lanes<Real>;

public:
    PairForces(const IncrementalSettings& settings, const IncrementalWorkspace<Real>& work)
        : work_(work),
          lists_(work.around(settings)),
          h_(static_cast<Real>(settings.support * settings.spacing)),
          slope_(static_cast<Real>(CosineKernel::slope) / (h_ * h_ * h_ * h_ * h_)),
          stiffness_(static_cast<Real>(settings.pressure)),
          viscosity_(static_cast<Real>(work.viscosity.empty() ? 0 : work.viscosity[0])) {}

    // Fields are gathered where they are used, so that most of them stay in registers.
    Vec3<Real> operator()(std::size_t i) const {
        const Real* mine = work_.row.data() + shown::stride * i;
        const P scale(slope_ * mine[shown::volume]);
        const std::uint32_t* list = lists_.list(i);
        const int n = lists_.all(i);
        Vec3<P> reach = splat(P(Real(0))), back = reach;
        for (int k = 0; k < n; k += lanes) {
            P at[4];
            gather<shown::place>(list + k, at);
            const Vec3<P> r{at[0] - P(mine[0]), at[1] - P(mine[1]), at[2] - P(mine[2])};
            if constexpr (sph) add_contact(i, list + k, at[3], r, mine, back);
            if constexpr (elastic) {
                const Sym3<P> rr{r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z};
                P g_i = pull(measured(mine + shown::metric, rr)) * at[3];
                P other[12];  // metric and stress
                gather<shown::metric>(list + k, other);
                gather<shown::metric + 4>(list + k, other + 4);
                P g_j = pull(measured(other, rr)) * scale;
                if constexpr (!uniform) {
                    const auto same = same_matter(work_, i, list + k);
                    g_i = select(same, g_i, P(Real(0)));
                    g_j = select(same, g_j, P(Real(0)));
                }
                reach += g_i * r;
                gather<shown::metric + 8>(list + k, other + 8);
                back += g_j * times(other + 6, r);
            }
        }
        const P zero(Real(0));
        const P sums[8] = {reach.x, reach.y, reach.z, back.x, back.y, back.z, zero, zero};
        Real sum[8];
        sum_lanes8(sums, sum);
        const Vec3<Real> own = times(mine + shown::stress, Vec3<Real>{sum[0], sum[1], sum[2]});
        return (elastic ? slope_ : Real(0)) * own + Vec3<Real>{sum[3], sum[4], sum[5]};
    }

private:
    template <std::size_t field>
    ALWAYS_INLINE void gather(const std::uint32_t* list, P out[4]) const {
        gather4(work_.row.data() + field, shown::stride, list, out);
    }
    // r m r for a metric m and the products rr = r r^T.
    template <class T>
    static P measured(const T* m, const Sym3<P>& rr) {
        return (P(m[0]) * rr.xx + P(m[1]) * rr.yy + P(m[2]) * rr.zz) +
               (P(m[3]) * rr.xy + P(m[4]) * rr.xz + P(m[5]) * rr.yz);
    }
    template <class T>
    static Vec3<T> times(const T* m, const Vec3<T>& a) {
        return Sym3<T>{m[0], m[1], m[2], m[3], m[4], m[5]} * a;
    }
    // Of the two that meet the less viscous one decides.
    ALWAYS_INLINE P viscosity(std::size_t i, const std::uint32_t* list) const {
        if (uniform || work_.own_viscosity.empty()) return P(viscosity_);
        P other;
        for (int k = 0; k < lanes; ++k) other.set(k, work_.own_viscosity[list[k]]);
        return min(other, P(work_.own_viscosity[i]));
    }
    // V_i V_j ((p_i + p_j) / 2 W'_spiky r / |r| + eta (u_j - u_i) lap W)  [Müller 2003]
    ALWAYS_INLINE void add_contact(std::size_t i, const std::uint32_t* list, const P& v_j,
                                   const Vec3<P>& r, const Real* mine, Vec3<P>& sum) const {
        P u_j[4];
        gather<shown::velocity>(list, u_j);
        const Real inv_h = Real(1) / h_;
        const Real unit = SpikyKernel::gradient(Real(0), h_);  // -45 / (pi h^4)
        const Real v_i = mine[shown::volume], V_i = mine[shown::sph_volume];
        const P V_j = u_j[3];
        const P Vp_i(Real(0.5) * unit * sph_pressing(stiffness_, v_i, V_i));
        const P less_j = positive_part(v_j - V_j);  // Vp_j is the stiffness times that
        const P square = dot(r, r);
        const P inverse = inverse_sqrt(square);
        const P rest = positive_part(P(Real(1)) - square * inverse * P(inv_h));
        const P press = (V_j * Vp_i + P(Real(0.5) * unit * stiffness_ * V_i) * less_j) *
                        (rest * rest) * inverse;
        const P drag = P(-unit * inv_h * V_i) * viscosity(i, list) * V_j * rest;
        const Real* u_i = mine + shown::velocity;
        sum += press * r;
        sum += drag * Vec3<P>{u_j[0] - P(u_i[0]), u_j[1] - P(u_i[1]), u_j[2] - P(u_i[2])};
    }

    const IncrementalWorkspace<Real>& work_;
    const NearLists<Real>& lists_;
    Real h_, slope_, stiffness_, viscosity_;
};

template <class Real, bool elastic, bool sph, bool uniform>
void run(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work) {
    const PairForces<Real, elastic, sph, uniform> force(settings, work);
    for_each(work.size(), 128, [&](std::size_t i) {
        const Vec3<Real> f = force(i);
        for (int a = 0; a < 3; ++a) work.force[4 * i + static_cast<std::size_t>(a)] = f[a];
    });
}

// The baseline that keeps a rest configuration: r at rest is F_p x0_ij, and T stays as it is.
template <class Real>
Vec3<Real> rest_force(const IncrementalSettings& settings, const IncrementalWorkspace<Real>& work,
                      std::size_t i) {
    const Real h = static_cast<Real>(settings.support * settings.spacing);
    const Real inv_h2 = Real(1) / (h * h);
    const auto matrix = [&](std::size_t j, std::size_t at) {
        Mat3<Real> m;
        for (int k = 0; k < 9; ++k) m[k] = work.rest_row[18 * j + at + static_cast<std::size_t>(k)];
        return m;
    };
    const auto number = [&](std::size_t j, std::size_t at) {
        return work.row[shown::stride * j + at];
    };
    Vec3<Real> f{0, 0, 0};
    for (int e = 0; e < work.rest_lists.all(i); ++e) {
        const std::size_t j = work.rest_lists.list(i)[e];
        if (work.matter[i] != work.matter[j]) continue;
        Vec3<Real> r;
        for (int a = 0; a < 3; ++a) {
            const auto k = static_cast<std::size_t>(a);
            r[a] = work.rest[4 * j + k] - work.rest[4 * i + k];
        }
        const Vec3<Real> q_i = matrix(i, 0) * r, q_j = matrix(j, 0) * r;
        f += (number(j, shown::volume) * pull(inv_h2 * dot(q_i, q_i))) * (matrix(i, 9) * q_i) +
             (number(i, shown::volume) * pull(inv_h2 * dot(q_j, q_j))) * (matrix(j, 9) * q_j);
    }
    return (static_cast<Real>(CosineKernel::slope) / (h * h * h * h * h)) * f;
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
        const Real* mine = work_.fit_row.data() + fit_rows::stride * i;
        const std::uint32_t* list = work_.lists.list(i);
        Vec3<P> reach = splat(P(Real(0))), back = reach;
        for (int k = 0; k < work_.lists.all(i); k += lanes) {
            P at[4], other[fit_rows::stride];
            gather4(work_.place.data(), 4, list + k, at);
            for (std::size_t f = 0; f < fit_rows::stride; f += 4)
                gather4(work_.fit_row.data() + f, fit_rows::stride, list + k, other + f);
            const Vec3<P> r{at[0] - P(x[0]), at[1] - P(x[1]), at[2] - P(x[2])};
            const P rest = positive_part(P(Real(1)) - P(inv_h2_) * dot(r, r));
            P w = rest * rest * rest;
            if (squared_) w = w * w;
            if (!work_.one_matter) w = select(same_matter(work_, i, list + k), w, P(Real(0)));
            const Vec3<P> wr = w * r;
            reach += wr;
            back += matrix(other) * wr;
        }
        return matrix(mine) * sum_lanes(reach) + sum_lanes(back);
    }

private:
    template <class T>
    static Mat3<T> matrix(const T* numbers) {
        Mat3<T> m;
        for (int k = 0; k < 9; ++k) m[k] = numbers[fit_rows::matrix + static_cast<std::size_t>(k)];
        return m;
    }

    const IncrementalWorkspace<Real>& work_;
    Real inv_h2_;
    bool squared_;
};

// Where the start is kept, with X from i to j then and x now: T X g(|X|) of both, and stiffness
// against x - F X, which is what neighbours do beyond a linear map.
template <class Real>
class StartForces {
    using P = Pack<Real>;
    static constexpr int lanes = pack_lanes<Real>;

public:
    StartForces(const IncrementalSettings& settings, const IncrementalWorkspace<Real>& work)
        : work_(work),
          fuse_(work.one_matter),
          h_(static_cast<Real>(settings.support * settings.spacing)),
          slope_(static_cast<Real>(CosineKernel::slope) / (h_ * h_ * h_ * h_ * h_)) {}

    Vec3<Real> operator()(std::size_t i) const {
        const Real* now = work_.row.data() + shown::stride * i;
        const Real* then = work_.rest.data() + 4 * i;
        const Real* mine = work_.start_row.data() + from_start::stride * i;
        const Real v_i = now[shown::volume], inv_h2 = Real(1) / (h_ * h_);
        const Real unit = viscosity_laplacian(Real(0), h_);
        const std::uint32_t* list = work_.rest_lists.list(i);
        Vec3<P> sum = splat(P(Real(0)));
        for (int k = 0; k < work_.rest_lists.all(i); k += lanes) {
            P at[4], start[4], other[from_start::stride];
            gather4(work_.row.data() + shown::place, shown::stride, list + k, at);
            gather4(work_.rest.data(), 4, list + k, start);
            for (std::size_t f = 0; f < from_start::stride; f += 4)
                gather4(work_.start_row.data() + f, from_start::stride, list + k, other + f);
            const Vec3<P> x{at[0] - P(now[0]), at[1] - P(now[1]), at[2] - P(now[2])};
            const Vec3<P> X{start[0] - P(then[0]), start[1] - P(then[1]), start[2] - P(then[2])};
            const P v_j = at[3], square = P(inv_h2) * dot(X, X);
            P pulls = P(slope_) * pull(square);
            P stiff =
                P(unit) * positive_part(P(Real(1)) - square * inverse_sqrt(square)) *
                (P(mine[from_start::stiffness]) * v_j + P(v_i) * other[from_start::stiffness]);
            if (!fuse_) {
                const auto same = same_matter(work_, i, list + k);
                pulls = select(same, pulls, P(Real(0)));
                stiff = select(same, stiff, P(Real(0)));
            }
            Mat3<P> T, F;
            for (int e = 0; e < 9; ++e) {
                const auto c = static_cast<std::size_t>(e);
                T[e] =
                    v_j * P(mine[from_start::stress + c]) + P(v_i) * other[from_start::stress + c];
                F[e] = P(Real(0.5)) * (P(mine[from_start::F + c]) + other[from_start::F + c]);
            }
            sum += pulls * (T * X);
            sum += stiff * (x - F * X);
        }
        return sum_lanes(sum);
    }

private:
    const IncrementalWorkspace<Real>& work_;
    bool fuse_;
    Real h_, slope_;
};

// Adds force(i) to every particle i of the phases that count from places at rest, or of the others.
template <class Real, class Force>
void add_forces(IncrementalWorkspace<Real>& work, bool from_rest, const Force& force) {
    for (std::size_t p = 0; p < work.rests.size(); ++p) {
        if (work.rests[p] != from_rest) continue;
        for_each(work.first[p + 1] - work.first[p], 128, [&](std::size_t row) {
            const std::size_t i = work.first[p] + row;
            const Vec3<Real> f = force(i);
            for (int a = 0; a < 3; ++a) work.force[4 * i + static_cast<std::size_t>(a)] += f[a];
        });
    }
}

}  // namespace

template <class Real>
void pair_forces(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work) {
    work.force.assign(4 * work.size(), Real(0));
    const bool sph = settings.pressure > 0 || work.any_viscosity();
    const bool uniform = work.one_matter && work.one_viscosity();
    if (work.all_rest()) {
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
        add_forces(work, true, [&](std::size_t i) { return rest_force(settings, work, i); });
    else if (work.any_rests())
        add_forces(work, true, StartForces<Real>(settings, work));
}

template void pair_forces(const IncrementalSettings&, IncrementalWorkspace<float>&);
template void pair_forces(const IncrementalSettings&, IncrementalWorkspace<double>&);

}  // namespace knead
