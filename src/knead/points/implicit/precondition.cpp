#include "knead/points/implicit/precondition.h"

#include <algorithm>
#include <cmath>

#include "knead/base/random.h"
#include "knead/parallel/vectors.h"
#include "knead/points/implicit/group_kernels.h"
#include "knead/points/implicit/stages.h"
#include "knead/points/mls.h"

namespace knead {

namespace {

constexpr double coarse_width = 5;  // of coarse cells, in spacings

// The 3 x 3 blocks on the diagonal. What row j's stress gives to the block of row k, with gradient
// vector g = g_jk, or -sum g for j itself:  mu |g|^2 I + (mu + lambda) (R g)(R g)^T.
template <class Real>
class DiagonalBlocks {
    using P = Pack<Real>;
    static constexpr std::size_t L = pack_lanes<Real>;

public:
    explicit DiagonalBlocks(ImplicitWorkspace<Real>& work) : work_(work) {}
    void write() {
        for (auto& plane : work_.inverse_block) plane.resize(work_.size());
        turn_.resize(3 * work_.size());
        const auto& blocks = work_.near.blocks;
        for_each(blocks.size(), 1, [&](std::size_t i) { turn(blocks[i]); });
        for_each(blocks.size(), 1, [&](std::size_t i) {
            blocks[i].follows.empty() ? sum<false>(blocks[i]) : sum<true>(blocks[i]);
        });
    }

private:
    // R D of each row by columns; mu and mu + lambda behind the first two.
    void turn(const NeighbourBlock<Real>& b) {
        for (std::size_t group = 0; group < b.groups(); ++group) {
            const std::size_t begin = b.first + L * group;
            const int count = b.rows_of(group);
            const Mat3<P> Q = load_matrices(work_.R, begin, count) *
                              load_matrices(work_.near.basis, begin, count);
            const P mu = P::load_part(work_.mu.data() + begin, count, Real(0));
            const P both = mu + P::load_part(work_.lambda.data() + begin, count, Real(0));
            for (int c = 0; c < 3; ++c) {
                const P column[4] = {Q(0, c), Q(1, c), Q(2, c), c == 0 ? mu : both};
                scatter4(column, reinterpret_cast<Real*>(turn_.data() + 3 * begin) + 4 * c, 12,
                         count);
            }
        }
    }
    static void add(const Vec3<P>& Rg, const P& mu, const P& both, Sym3<P>& block) {
        const P round = mu * dot(Rg, Rg);
        const Vec3<P> a = both * Rg;
        block = block + Sym3<P>{round + a.x * Rg.x, round + a.y * Rg.y, round + a.z * Rg.z,
                                a.x * Rg.y,         a.x * Rg.z,         a.y * Rg.z};
    }
    template <bool mixed>
    void sum(const NeighbourBlock<Real>& b) {
        for (std::size_t group = 0; group < b.groups(); ++group) {
            const std::size_t begin = b.first + L * group;
            const int count = b.rows_of(group);
            const P m = P::load_part(work_.mass.data() + begin, count, Real(1)), o = P(Real(0));
            Sym3<P> block{m, m, m, o, o, o};
            const GroupPlaces<Real> places(b, group);
            for (std::uint32_t e = b.begin[group]; e < b.begin[group + 1]; ++e) {
                const std::uint32_t k = b.link[e];
                const Real* q =
                    reinterpret_cast<const Real*>(turn_.data() + 3 * std::size_t{b.near[k]});
                const Vec3<P> t =
                    KeptWeight<Real>::load(b.back.data() + L * e) * places.template from<mixed>(k);
                const auto row = [&](int a) {
                    return P(q[a]) * t.x + P(q[4 + a]) * t.y + P(q[8 + a]) * t.z;
                };
                add({row(0), row(1), row(2)}, P(q[3]), P(q[7]), block);
            }
            const P mu = P::load_part(work_.mu.data() + begin, count, Real(0));
            const P lambda = P::load_part(work_.lambda.data() + begin, count, Real(0));
            add(load_matrices(work_.R, begin, count) *
                    load_vectors(work_.sum_g.data() + begin, count),
                mu, mu + lambda, block);
            for (int c = 0; c < 6; ++c)
                block[c].store_part(work_.inverse_block[c].data() + begin, count);
        }
    }

    ImplicitWorkspace<Real>& work_;
    Array<Lanes<Real>> turn_;
};

template <class Real>
void set_block(ImplicitWorkspace<Real>& work, std::size_t i, const Sym3<Real>& block) {
    for (int c = 0; c < 6; ++c) work.inverse_block[c][i] = block[c];
}

template <class Real>
void invert_rows(const ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& r,
                 Array<Lanes<Real>>& z) {
    const auto& B = work.inverse_block;
    for_each(work.size(), 1024, [&](std::size_t i) {
        const Sym3<Real> block{B[0][i], B[1][i], B[2][i], B[3][i], B[4][i], B[5][i]};
        z[i] = to_lanes(block * to_vec(r[i]));
    });
}

// Shifts and turns of pushed bodies: their inertia and that of the particles they fix.
template <class Real>
void set_pushed(ImplicitWorkspace<Real>& work) {
    work.pushed_inverse.clear();
    for (const PushedBody& body : work.pushed) {
        Mat3d shift = body.mass * identity3<double>(), turn = body.inertia;
        for (const Constraint& c : work.constraints) {
            if (c.collider != body.collider) continue;
            const auto m = static_cast<double>(work.mass[work.row_of(c)]);
            for (int k = 0; k < c.count; ++k) {
                const Vec3d lever = cross(c.arm, c.along[k]);
                shift = shift + m * outer(c.along[k], c.along[k]);
                turn = turn + m * outer(lever, lever);
            }
        }
        work.pushed_inverse.push_back(inverse(shift));
        work.pushed_inverse.push_back(inverse(turn));
    }
}

// With x an eigenvalue of B A, 1 - x (once - twice x) is Chebyshev's polynomial over the smoothed
// interval: x times the rest is then near 1, and positive below low + high.
Smoothing smoothing_to(double high) {
    constexpr double wide = 30;  // largest over smallest eigenvalue that is smoothed
    const double low = high / wide, t = (high + low) / (high - low), s = 2 / (high - low);
    const double size = 2 * t * t - 1;
    return {4 * t * s / size, 2 * s * s / size};
}

// The largest eigenvalue of B A or a little more, constraints aside, which only lower it: a few
// steps of a power iteration. In stiff bodies it is 9.9, whatever their moduli and their size.
template <class Real>
double largest_eigenvalue(ImplicitWorkspace<Real>& work) {
    constexpr int rounds = 4;
    constexpr double short_by = 1.25, of_stiff_bodies = 10.5;
    const std::size_t n = work.size();
    Array<Lanes<Real>> z(n), y(n);
    for_each(n, 4096, [&](std::size_t i) {
        z[i] = Lanes<Real>(Real(0));
        for (int a = 0; a < 3; ++a)
            z[i].set(a, static_cast<Real>(random_unit(11, i, static_cast<std::uint64_t>(a)) - 0.5));
    });
    const SharedVectors<Lanes<Real>, Real> space;
    double grown = 1;
    for (int k = 0; k < rounds; ++k) {
        apply_matrix(work, z, y);
        invert_rows(work, y, y);
        const double before = space.dot(z, z), after = space.dot(y, y);
        if (!(before > 0) || !(after > 0)) break;
        grown = std::sqrt(after / before);
        space.combine(1 / std::sqrt(after), y, 0, z);
    }
    return std::max(short_by * grown, of_stiff_bodies);
}

}  // namespace

template <class Real>
void prepare_preconditioner(const ImplicitSettings& settings, ImplicitWorkspace<Real>& work) {
    const std::size_t n = work.size();
    set_pushed(work);
    if (settings.preconditioner == Preconditioner::two_level)
        work.coarse.build(work, coarse_width);
    else
        work.coarse.clear();
    for (auto& plane : work.inverse_block) plane.resize(n);
    if (settings.preconditioner == Preconditioner::mass) {
        for_each(n, 4096, [&](std::size_t i) {
            const Real w = Real(1) / work.mass[i], o = Real(0);
            set_block<Real>(work, i, {w, w, w, o, o, o});
        });
        return;
    }
    DiagonalBlocks<Real>(work).write();
    for (std::size_t k = 0; k < work.touching.size(); ++k)
        for (std::size_t c = work.pair_begin[k]; c < work.pair_begin[k + 1]; ++c) {
            const PairContact& pair = work.pairs[c];
            const std::size_t i = work.touching[k];
            const double s = pair.stiffness - pair.drag, d = pair.drag;
            const Vec3d& a = pair.n;
            const double block[6] = {d + s * a.x * a.x, d + s * a.y * a.y, d + s * a.z * a.z,
                                     s * a.x * a.y,     s * a.x * a.z,     s * a.y * a.z};
            for (int e = 0; e < 6; ++e) work.inverse_block[e][i] += static_cast<Real>(block[e]);
        }
    for_each(n, 1024, [&](std::size_t i) {
        Sym3<Real> block;
        for (int c = 0; c < 6; ++c) block[c] = work.inverse_block[c][i];
        set_block(work, i, inverse(block));
    });
    if (!work.coarse.empty()) work.smoothing = smoothing_to(largest_eigenvalue(work));
}

template <class Real>
void invert_blocks(const ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& r,
                   Array<Lanes<Real>>& z) {
    const std::size_t n = work.size();
    invert_rows(work, r, z);
    for (std::size_t k = 0; k < work.pushed_inverse.size(); ++k)
        z[n + k] = to_lanes(
            static_cast<Vec3<Real>>(work.pushed_inverse[k] * static_cast<Vec3d>(to_vec(r[n + k]))));
}

#define INSTANTIATE(Real)                                                                    \
    template void prepare_preconditioner(const ImplicitSettings&, ImplicitWorkspace<Real>&); \
    template void invert_blocks(const ImplicitWorkspace<Real>&, const Array<Lanes<Real>>&,   \
                                Array<Lanes<Real>>&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
