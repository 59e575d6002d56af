// build_rest: rest vectors, weights, basis matrix and gradient vectors, and the deformation at the
// start of the step.
#include <cmath>

#include "knead/points/implicit/stages.h"
#include "knead/points/mls.h"

namespace knead {

namespace {

constexpr int least_neighbours = 6;
constexpr double notable = 0.6;        // in units of h at rest: nearer neighbours weigh something
constexpr double least_spread = 1e-3;  // of the basis matrix, smallest over largest eigenvalue

// 1 - sin(pi x / 2), x in [0, 1]: the cosine kernel of [Solenthaler 2007] but for a factor, which
// the fit does not feel. A series, to rounding.
template <class Real, class P>
P cosine_weight(const P& x) {
    constexpr int terms = sizeof(Real) == 4 ? 6 : 10;
    const P u = P(Real(1.5707963267948966)) * x, t = u * u;
    P sum(Real(1));
    for (int k = terms; k >= 1; --k)
        sum = P(Real(1)) - t * P(Real(1.0 / (2.0 * k * (2.0 * k + 1)))) * sum;
    return P(Real(1)) - u * sum;
}

// One row at a time.
template <class Real>
class RestFit {
    using P = Pack<Real>;
    static constexpr std::size_t L = pack_lanes<Real>;

public:
    // `place` holds the source positions of the rows that the block touches, from its first row.
    RestFit(ImplicitWorkspace<Real>& work, NeighbourBlock<Real>& b, const Lanes<Real>* place)
        : work_(work), b_(b), place_(place) {}

    void operator()(std::size_t k) {
        const std::size_t row = b_.first + k;
        int count = 0;
        const Sym3<Real> S = moments(k, count);
        const bool sound = count >= least_neighbours && trace(S) > Real(0) &&
                           mls_trust(S, least_spread, 2 * least_spread) > Real(0);
        work_.sound[row] = sound ? 1 : 0;
        work_.sum_g[row] = sound ? gradients(k, S) : clear(k);
    }

private:
    // w p stays where gradient vectors will stand; both in units of h.
    Sym3<Real> moments(std::size_t k, int& count) {
        const std::size_t row = b_.first + k;
        const Real inverse_h = Real(1) / work_.support[row];
        Mat3<P> B;
        for (int c = 0; c < 9; ++c) B[c] = P(inverse_h * work_.to_rest[c][row]);
        const Lanes<Real> own = place_[k];
        const Vec3<P> x{P(own[0]), P(own[1]), P(own[2])};
        Sym3<P> S{P(0), P(0), P(0), P(0), P(0), P(0)};
        P near(Real(0));
        for (std::size_t e = b_.begin[k]; e < b_.begin[k + 1]; e += L) {
            P q[4];
            gather4(reinterpret_cast<const Real*>(place_), 4, b_.neighbour.data() + e, q);
            const Vec3<P> p = B * (Vec3<P>{q[0], q[1], q[2]} - x);
            const P r2 = dot(p, p);
            // beyond h; and spare entries, which are the row itself
            const auto counts = r2 < P(Real(1)) && r2 > P(Real(0));
            const P w = select(counts, cosine_weight<Real>(sqrt(r2)), P(Real(0)));
            near += select(counts, P(Real(1)), P(Real(0)));
            const Vec3<P> wp = w * p;
            S = S + Sym3<P>{wp.x * p.x, wp.y * p.y, wp.z * p.z, wp.x * p.y, wp.x * p.z, wp.y * p.z};
            Real* g = b_.gradients(e);
            wp.x.store(g), wp.y.store(g + L), wp.z.store(g + 2 * L);
        }
        count = static_cast<int>(sum_lanes(near));
        Sym3<Real> sum;
        for (int c = 0; c < 6; ++c) sum[c] = sum_lanes(S[c]);
        return sum;
    }
    // g = S^-1 w p; returns their sum.
    Lanes<Real> gradients(std::size_t k, const Sym3<Real>& S) {
        const Sym3<Real> inv = (Real(1) / work_.support[b_.first + k]) * inverse(S);
        Sym3<P> I;
        for (int c = 0; c < 6; ++c) I[c] = P(inv[c]);
        Vec3<P> sum = splat(P(Real(0)));
        for (std::size_t e = b_.begin[k]; e < b_.begin[k + 1]; e += L) {
            Real* at = b_.gradients(e);
            const Vec3<P> g = I * Vec3<P>{P::load(at), P::load(at + L), P::load(at + 2 * L)};
            g.x.store(at), g.y.store(at + L), g.z.store(at + 2 * L);
            sum += g;
        }
        return to_lanes(sum_lanes(sum));
    }
    Lanes<Real> clear(std::size_t k) {
        std::fill(b_.gradients(b_.begin[k]), b_.gradients(b_.begin[k + 1]), Real(0));
        return Lanes<Real>(Real(0));
    }

    ImplicitWorkspace<Real>& work_;
    NeighbourBlock<Real>& b_;
    const Lanes<Real>* place_;
};

// Positions of the rows that a block touches, from its first row, so that a float holds them.
template <class Real>
void load_places(const NeighbourBlock<Real>& b, const std::vector<Vec3d>& x,
                 Array<Lanes<Real>>& tile) {
    tile.resize(b.touched.size());
    const Vec3d origin = x[b.first];
    for (std::size_t k = 0; k < tile.size(); ++k)
        tile[k] = to_lanes(static_cast<Vec3<Real>>(x[b.touched[k]] - origin));
}

// F = sum (x_k - x_j) g^T, where rest vectors are not those of the present shape.
template <class Real>
void fit_deformation(const NeighbourBlock<Real>& b, const Lanes<Real>* place,
                     ImplicitWorkspace<Real>& work) {
    for (std::size_t k = 0; k < b.rows; ++k) {
        const std::size_t row = b.first + k;
        if (!work.sound[row] || !work.keeps_rest[row]) continue;
        LaneColumns<Real> sum = gather_row(b, k, place);
        for (int c = 0; c < 3; ++c) {
            sum.c[c] -= place[k] * Lanes<Real>(work.sum_g[row][c]);
            for (int r = 0; r < 3; ++r) work.F[3 * r + c][row] = sum.c[c][r];
        }
    }
}

// Whether a neighbour that weighs something has left the h that it would be in by F^-1 q. Only flow
// lets go of neighbours.
template <class Real>
bool has_parted(const NeighbourBlock<Real>& b, std::size_t k, const Lanes<Real>* source,
                const Lanes<Real>* present, const ImplicitWorkspace<Real>& work) {
    const std::size_t row = b.first + k;
    Mat3<Real> B, F;
    for (int c = 0; c < 9; ++c) B[c] = work.to_rest[c][row], F[c] = work.F[c][row];
    const Real h2 = work.support[row] * work.support[row];
    if (B == identity3<Real>() || !(determinant(F) > Real(0))) return false;
    const Mat3<Real> back = inverse(F);
    for (std::size_t e = b.begin[k]; e < b.begin[k + 1]; ++e) {
        const std::uint32_t to = b.neighbour[e];
        const Vec3<Real> p = B * to_vec(source[to] - source[k]);
        if (length_squared(p) > Real(notable * notable) * h2) continue;
        if (length_squared(back * to_vec(present[to] - present[k])) > h2) return true;
    }
    return false;
}

template <class Real>
void build_lazy(NeighbourBlock<Real>& b, ImplicitWorkspace<Real>& work) {
    thread_local Array<Lanes<Real>> source, present;
    load_places(b, work.source, source);
    load_places(b, work.x, present);
    RestFit<Real> kept(work, b, source.data()), renewed(work, b, present.data());
    for (std::size_t k = 0; k < b.rows; ++k) (work.keeps_rest[b.first + k] ? kept : renewed)(k);
    fit_deformation(b, present.data(), work);
    for (std::size_t k = 0; k < b.rows; ++k) {
        const std::size_t row = b.first + k;
        const bool look = work.keeps_rest[row] && work.sound[row];
        work.parted[row] = look && has_parted(b, k, source.data(), present.data(), work) ? 1 : 0;
    }
}

}  // namespace

template <class Real>
void build_rest(const ImplicitSettings& settings, ImplicitWorkspace<Real>& work) {
    work.sum_g.resize(work.size());
    work.sound.resize(work.size());
    work.parted.assign(work.size(), 0);
    for_each(work.near.blocks.size(), 1, [&](std::size_t i) {
        NeighbourBlock<Real>& b = work.near.blocks[i];
        b.gradient.resize(3 * b.neighbour.size());
        if (settings.is_lazy()) return build_lazy(b, work);
        thread_local Array<Lanes<Real>> place;
        load_places(b, work.source, place);
        RestFit<Real> fit(work, b, place.data());
        for (std::size_t k = 0; k < b.rows; ++k) fit(k);
    });
}

template void build_rest(const ImplicitSettings&, ImplicitWorkspace<float>&);
template void build_rest(const ImplicitSettings&, ImplicitWorkspace<double>&);

}  // namespace knead
