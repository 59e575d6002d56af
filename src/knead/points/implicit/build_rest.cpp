// build_rest: who is a neighbour of whom, weights, basis matrices, and the deformation at the start
// of the step.
#include <algorithm>
#include <array>

#include "knead/math/inverse_sqrt.h"
#include "knead/points/implicit/group_kernels.h"
#include "knead/points/implicit/stages.h"
#include "knead/points/mls.h"

namespace knead {

namespace {

constexpr int least_neighbours = 6;
constexpr double notable = 0.6;        // in units of h at rest: nearer neighbours weigh something
constexpr double least_spread = 1e-3;  // of the basis matrix, smallest over largest eigenvalue

// 1 - sin(pi x / 2) of r2 = x^2 in [0, 1]: the cosine kernel of [Solenthaler 2007] but for a
// factor, which the fit does not feel. A series, to rounding. 0 beyond h, and of the row itself.
template <class Real>
ALWAYS_INLINE Pack<Real> weight_of(const Pack<Real>& r2) {
    using P = Pack<Real>;
    constexpr int terms = sizeof(Real) == 4 ? 5 : 10;
    constexpr auto series = [] {
        std::array<double, terms + 1> c{};
        double term = 1.5707963267948966;
        for (int k = 0; k <= terms; ++k) {
            c[static_cast<std::size_t>(k)] = term;
            term *= -1.5707963267948966 * 1.5707963267948966 / ((2.0 * k + 2) * (2.0 * k + 3));
        }
        return c;
    }();
    P sum(static_cast<Real>(series[terms]));
    for (int k = terms - 1; k >= 0; --k)
        sum = sum * r2 + P(static_cast<Real>(series[static_cast<std::size_t>(k)]));
    const P w = P(Real(1)) - r2 * inverse_sqrt(r2) * sum;
    const auto counts = r2 < P(Real(1)) && r2 > P(Real(0));
    return select(counts, max(w, P(Real(0))), P(Real(0)));
}

// What a block's near rows are for its groups: coordinates side by side, and how far each reaches.
template <class Real>
struct NearRows {
    static constexpr std::size_t L = pack_lanes<Real>;
    // Coordinates, and the middles and half widths of the boxes of packs of rows.
    struct Cloud {
        Array<Real> x[3], middle[3], half[3];
    };
    Cloud rest, now;
    Array<Real> reach, most;  // of rows, and of packs
    std::size_t packs = 0;

    void load(const ImplicitWorkspace<Real>& work, const NeighbourBlock<Real>& b) {
        const std::size_t n = b.near.size();
        packs = (n + L - 1) / L;
        fill(b.place, rest);
        if (!b.follows.empty()) fill(b.present, now);
        reach.assign(packs * L, Real(-1));
        for (std::size_t k = 0; k < n; ++k) reach[k] = work.reach[b.near[k]];
        most.assign((packs + L - 1) / L * L, Real(-1));
        for (std::size_t k = 0; k < packs; ++k)
            most[k] = *std::max_element(reach.begin() + at(L * k), reach.begin() + at(L * (k + 1)));
    }

private:
    static std::ptrdiff_t at(std::size_t k) { return static_cast<std::ptrdiff_t>(k); }
    void fill(const Array<Lanes<Real>>& places, Cloud& c) const {
        for (int a = 0; a < 3; ++a) {
            Array<Real>& x = c.x[a];
            x.resize(packs * L);
            for (std::size_t k = 0; k < x.size(); ++k)
                x[k] = places[std::min(k, places.size() - 1)][a];
            c.middle[a].assign((packs + L - 1) / L * L, Real(0)), c.half[a] = c.middle[a];
            for (std::size_t k = 0; k < packs; ++k) {
                const auto [lo, hi] =
                    std::minmax_element(x.begin() + at(L * k), x.begin() + at(L * (k + 1)));
                c.middle[a][k] = Real(0.5) * (*hi + *lo), c.half[a][k] = Real(0.5) * (*hi - *lo);
            }
        }
    }
};

// Places of the near rows, from the block's middle, so that a float holds them.
template <class Real>
void load_places(const ImplicitWorkspace<Real>& work, bool lazy, NeighbourBlock<Real>& b) {
    const auto fill = [&](const std::vector<Vec3d>& x, Array<Lanes<Real>>& place) {
        place.resize(b.near.size());
        const Vec3d middle = x[b.first + b.rows / 2];
        for (std::size_t k = 0; k < place.size(); ++k)
            place[k] = to_lanes(static_cast<Vec3<Real>>(x[b.near[k]] - middle));
    };
    fill(work.source, b.place);
    b.present.clear(), b.follows.clear();
    if (!lazy) return;
    fill(work.x, b.present);
    b.follows.resize(b.near.size());
    bool any = false;
    for (std::size_t k = 0; k < b.near.size(); ++k) {
        b.follows[k] = work.keeps_rest[b.near[k]] ? 0 : 1;
        any = any || b.follows[k];
    }
    if (!any) b.follows.clear();
}

// The rows of one group.
template <class Real>
class RestFit {
    using P = Pack<Real>;
    using Kept = KeptWeight<Real>;
    static constexpr std::size_t L = pack_lanes<Real>;

public:
    RestFit(ImplicitWorkspace<Real>& work, NeighbourBlock<Real>& b, const NearRows<Real>& near,
            std::size_t group)
        : work_(work),
          b_(b),
          near_(near),
          begin_(b.first + L * group),
          own_(b.own + L * group),
          count_(b.rows_of(group)),
          places_(b, group),
          lanes_(first_lanes<Real, static_cast<int>(L)>(count_)) {}

    void operator()(std::vector<std::uint32_t>& found) {
        found.clear();
        find(near_.rest, found);
        if (!b_.follows.empty()) {
            find(near_.now, found);
            std::sort(found.begin(), found.end());
            found.erase(std::unique(found.begin(), found.end()), found.end());
        }
        B_ = load_matrices(work_.to_rest, begin_, count_);
        const P h = P::load_part(work_.support.data() + begin_, count_, Real(1));
        const Mat3<P> to_unit = (P(Real(1)) / h) * B_;
        b_.follows.empty() ? link<false>(found, to_unit) : link<true>(found, to_unit);
        fit();
    }

private:
    // Near rows within reach of the box of the group's rows, or that reach into it: by packs first.
    void find(const typename NearRows<Real>::Cloud& cloud,
              std::vector<std::uint32_t>& found) const {
        Vec3<P> middle, half;
        const auto first = static_cast<std::ptrdiff_t>(own_);
        const P own(
            *std::max_element(near_.reach.begin() + first, near_.reach.begin() + first + count_));
        for (int a = 0; a < 3; ++a) {
            const auto [lo, hi] = std::minmax_element(cloud.x[a].begin() + first,
                                                      cloud.x[a].begin() + first + count_);
            middle[a] = P(Real(0.5) * (*hi + *lo)), half[a] = P(Real(0.5) * (*hi - *lo));
        }
        // lanes nearer than the larger of two reaches, and a hair
        const auto near = [&](std::size_t at, const Array<Real>* x, const Array<Real>* wide,
                              const Array<Real>& reach) {
            const auto beyond = [&](int a) {
                const P size = wide ? half[a] + P::load(wide[a].data() + at) : half[a];
                return positive_part(abs(P::load(x[a].data() + at) - middle[a]) - size);
            };
            const Vec3<P> d{beyond(0), beyond(1), beyond(2)};
            const P theirs = P::load(reach.data() + at), r = P(Real(1 + 1e-5)) * max(own, theirs);
            return lane_set(dot(d, d) < r * r && theirs > P(Real(0)));
        };
        for (std::size_t at = 0; at < near_.packs; at += L)
            for (auto packs = near(at, cloud.middle, cloud.half, near_.most); packs != 0;
                 packs &= packs - 1) {
                const std::size_t k = L * (at + static_cast<std::size_t>(__builtin_ctz(packs)));
                for (auto set = near(k, cloud.x, nullptr, near_.reach); set != 0; set &= set - 1)
                    found.push_back(static_cast<std::uint32_t>(k) +
                                    static_cast<std::uint32_t>(__builtin_ctz(set)));
            }
    }

    // Weights both ways, of whom there are any; and the moments of the rows' own fits.
    template <bool mixed>
    void link(const std::vector<std::uint32_t>& found, const Mat3<P>& to_unit) {
        moments_ = {P(0), P(0), P(0), P(0), P(0), P(0)};
        sum_ = splat(P(Real(0)));
        neighbours_ = P(Real(0));
        for (const std::uint32_t k : found) {
            const Vec3<P> to = places_.template to<mixed>(k),
                          from = places_.template from<mixed>(k);
            const Vec3<P> p = to_unit * to, back = seen_by(k, from);
            const P far(Real(2)), there2 = select(lanes_, dot(p, p), far);
            const P here2 = select(lanes_, dot(back, back), far);
            if (!any(there2 < P(Real(1)) || here2 < P(Real(1)))) continue;
            add(k, weight_of<Real>(there2), weight_of<Real>(here2), to);
        }
    }
    ALWAYS_INLINE Vec3<P> seen_by(std::uint32_t k, const Vec3<P>& v) const {
        const Real* m =
            reinterpret_cast<const Real*>(work_.rest_rows.data() + 3 * std::size_t{b_.near[k]});
        const auto row = [&](int r) {
            return P(m[4 * r]) * v.x + P(m[4 * r + 1]) * v.y + P(m[4 * r + 2]) * v.z;
        };
        return {row(0), row(1), row(2)};
    }
    ALWAYS_INLINE void add(std::uint32_t k, const P& there, const P& here, const Vec3<P>& to) {
        const std::size_t e = L * b_.link.size();
        if (b_.weight.size() < e + L) {
            b_.weight.resize(2 * (e + L)), b_.back.resize(2 * (e + L));
        }
        b_.link.push_back(k);
        const P w = Kept::store(there, b_.weight.data() + e);
        Kept::store(here, b_.back.data() + e);
        const Vec3<P> r = w * to;
        moments_ = moments_ +
                   Sym3<P>{r.x * to.x, r.y * to.y, r.z * to.z, r.x * to.y, r.x * to.z, r.y * to.z};
        sum_ += r;
        neighbours_ += select(w > P(Real(0)), P(Real(1)), P(Real(0)));
    }

    // D = S^-1 B with S = B (sum w q q^T) B^T; 0 where the fit cannot be trusted.
    void fit() {
        const Sym3<P> S = congruence(B_, moments_);
        const auto sound = lanes_ && neighbours_ >= P(Real(least_neighbours)) &&
                           trace(S) > P(Real(0)) &&
                           mls_trust(S, least_spread, 2 * least_spread) > P(Real(0));
        Mat3<P> none;
        for (int k = 0; k < 9; ++k) none[k] = P(Real(0));
        const Mat3<P> D = select(sound, static_cast<Mat3<P>>(inverse(S)) * B_, none);
        store_matrices(D, begin_, count_, work_.near.basis);
        store_vectors(D * sum_, count_, work_.sum_g.data() + begin_);
        for (int k = 0; k < count_; ++k)
            work_.sound[begin_ + static_cast<std::size_t>(k)] = sound[k] ? 1 : 0;
    }

    ImplicitWorkspace<Real>& work_;
    NeighbourBlock<Real>& b_;
    const NearRows<Real>& near_;
    std::size_t begin_, own_;
    int count_;
    GroupPlaces<Real> places_;
    typename P::Mask lanes_;
    Mat3<P> B_;
    Sym3<P> moments_;
    Vec3<P> sum_;
    P neighbours_;
};

// F = sum (x_k - x_j) g^T, where rest vectors are not those of the present shape.
template <class Real>
void fit_deformation(const NeighbourBlock<Real>& b, std::size_t group,
                     ImplicitWorkspace<Real>& work) {
    using P = Pack<Real>;
    const std::size_t at = pack_lanes<Real> * group, begin = b.first + at;
    const int count = b.rows_of(group);
    const auto vector = [&](std::uint32_t k) {
        return reinterpret_cast<const Real*>(b.present.data() + k);
    };
    const Mat3<P> sum = b.follows.empty() ? sum_of_outer<false>(b, group, vector)
                                          : sum_of_outer<true>(b, group, vector);
    const Vec3<P> own = load_vectors(b.present.data() + b.own + at, count);
    const Vec3<P> g = load_vectors(work.sum_g.data() + begin, count);
    const Mat3<P> F = sum * transpose(load_matrices(work.near.basis, begin, count)) - outer(own, g);
    for (int l = 0; l < count; ++l) {
        const std::size_t row = begin + static_cast<std::size_t>(l);
        if (!work.sound[row] || !work.keeps_rest[row]) continue;
        for (int c = 0; c < 9; ++c) work.F[c][row] = F[c][l];
    }
}

// Whether a neighbour that weighs something has left the h that it would be in by F^-1 q. Only flow
// lets go of neighbours.
template <class Real>
bool has_parted(const NeighbourBlock<Real>& b, std::size_t k, const ImplicitWorkspace<Real>& work) {
    const std::size_t row = b.first + k, own = b.own + k, group = k / pack_lanes<Real>;
    Mat3<Real> B, F;
    for (int c = 0; c < 9; ++c) B[c] = work.to_rest[c][row], F[c] = work.F[c][row];
    const Real h2 = work.support[row] * work.support[row];
    if (B == identity3<Real>() || !(determinant(F) > Real(0))) return false;
    const Mat3<Real> back = inverse(F);
    for (std::uint32_t e = b.begin[group]; e < b.begin[group + 1]; ++e) {
        const std::uint32_t to = b.link[e];
        if (to == own) continue;
        const Vec3<Real> p = B * to_vec(b.place[to] - b.place[own]);
        if (length_squared(p) > Real(notable * notable) * h2) continue;
        if (length_squared(back * to_vec(b.present[to] - b.present[own])) > h2) return true;
    }
    return false;
}

template <class Real>
void finish_lazy(const NeighbourBlock<Real>& b, ImplicitWorkspace<Real>& work) {
    for (std::size_t group = 0; group < b.groups(); ++group) fit_deformation(b, group, work);
    for (std::size_t k = 0; k < b.rows; ++k) {
        const std::size_t row = b.first + k;
        const bool look = work.keeps_rest[row] && work.sound[row];
        work.parted[row] = look && has_parted(b, k, work) ? 1 : 0;
    }
}

}  // namespace

template <class Real>
void build_rest(const ImplicitSettings& settings, ImplicitWorkspace<Real>& work) {
    work.sum_g.resize(work.size());
    work.sound.resize(work.size());
    work.parted.assign(work.size(), 0);
    for (auto& plane : work.near.basis) plane.resize(work.size());
    for_each(work.near.blocks.size(), 1, [&](std::size_t i) {
        NeighbourBlock<Real>& b = work.near.blocks[i];
        load_places(work, settings.is_lazy(), b);
        thread_local NearRows<Real> near;
        thread_local std::vector<std::uint32_t> found;
        near.load(work, b);
        b.begin.assign(1, 0), b.link.clear();
        for (std::size_t group = 0; group < b.groups(); ++group) {
            RestFit<Real>(work, b, near, group)(found);
            b.begin.push_back(static_cast<std::uint32_t>(b.link.size()));
        }
        if (settings.is_lazy()) finish_lazy(b, work);
    });
}

template void build_rest(const ImplicitSettings&, ImplicitWorkspace<float>&);
template void build_rest(const ImplicitSettings&, ImplicitWorkspace<double>&);

}  // namespace knead
