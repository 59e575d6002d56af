#include "knead/points/implicit/precondition.h"

#include "knead/points/mls.h"

namespace knead {

namespace {

constexpr double coarse_width = 5;  // of coarse cells, in spacings

// The 3 x 3 blocks on the diagonal. What row j's stress gives to the block of row k, with gradient
// vector g = g_jk, or -sum g for j itself:  mu |g|^2 I + (mu + lambda) (R g)(R g)^T.
template <class Real>
class DiagonalBlocks {
public:
    explicit DiagonalBlocks(ImplicitWorkspace<Real>& work) : work_(work) {
        const std::size_t n = work.size();
        for (auto& plane : work.inverse_block) plane.resize(n);
        auto& near = work.near;
        off_.resize(near.tile.size());
        for_each(near.blocks.size(), 1, [&](std::size_t b) { gather(near.blocks[b]); });
    }
    // The sum of a row's parts, with mass and pair contacts.
    Sym3<Real> block(std::size_t i) const {
        const auto& near = work_.near;
        const Lanes<Real> m(work_.mass[i]);
        Lanes<Real> on = m, off(Real(0));
        for (std::uint32_t s = near.slot_begin[i]; s < near.slot_begin[i + 1]; ++s)
            on += near.tile[near.slot[s]], off += off_[near.slot[s]];
        return {on[0], on[1], on[2], off[0], off[1], off[2]};
    }

private:
    void gather(const NeighbourBlock<Real>& b) {
        constexpr std::size_t L = NeighbourBlock<Real>::lanes;
        Lanes<Real>*on = work_.near.tile.data() + b.offset, *off = off_.data() + b.offset;
        std::fill(on, on + b.touched.size(), Lanes<Real>(Real(0)));
        std::fill(off, off + b.touched.size(), Lanes<Real>(Real(0)));
        for (std::size_t k = 0; k < b.rows; ++k) {
            const std::size_t row = b.first + k;
            Mat3<Real> R;
            for (int c = 0; c < 9; ++c) R[c] = work_.R[c][row];
            const LaneColumns<Real> turn = LaneColumns<Real>::from(R);
            const Lanes<Real> mu(work_.mu[row]), both(work_.mu[row] + work_.lambda[row]);
            const auto add = [&](std::size_t to, const Lanes<Real>& g) {
                const Lanes<Real> Rg = turn * to_vec(g);
                const Lanes<Real> next = __builtin_shufflevector(Rg.v, Rg.v, 0, 0, 1, 3);   // x x y
                const Lanes<Real> after = __builtin_shufflevector(Rg.v, Rg.v, 1, 2, 2, 3);  // y z z
                const Lanes<Real> square = Rg * Rg;
                on[to] += mu * Lanes<Real>(square[0] + square[1] + square[2]) + both * square;
                off[to] += both * (next * after);
            };
            for (std::size_t e = b.begin[k]; e < b.begin[k + 1]; e += L) {
                const Real* g = b.gradients(e);
                for (std::size_t l = 0; l < L; ++l)
                    add(b.neighbour[e + l], to_lanes(Vec3<Real>{g[l], g[L + l], g[2 * L + l]}));
            }
            add(k, work_.sum_g[row]);
        }
    }

    ImplicitWorkspace<Real>& work_;
    Array<Lanes<Real>> off_;
};

template <class Real>
void set_block(ImplicitWorkspace<Real>& work, std::size_t i, const Sym3<Real>& block) {
    for (int c = 0; c < 6; ++c) work.inverse_block[c][i] = block[c];
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
    const DiagonalBlocks<Real> blocks(work);
    for_each(n, 1024, [&](std::size_t i) { set_block(work, i, blocks.block(i)); });
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
}

template <class Real>
void precondition(const ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& r,
                  Array<Lanes<Real>>& z) {
    const std::size_t n = work.size();
    const auto& B = work.inverse_block;
    for_each(n, 1024, [&](std::size_t i) {
        const Sym3<Real> block{B[0][i], B[1][i], B[2][i], B[3][i], B[4][i], B[5][i]};
        z[i] = to_lanes(block * to_vec(r[i]));
    });
    if (!work.coarse.empty()) work.coarse.correct(r, z);
    for (std::size_t k = 0; k < work.pushed_inverse.size(); ++k)
        z[n + k] = to_lanes(
            static_cast<Vec3<Real>>(work.pushed_inverse[k] * static_cast<Vec3d>(to_vec(r[n + k]))));
}

#define INSTANTIATE(Real)                                                                    \
    template void prepare_preconditioner(const ImplicitSettings&, ImplicitWorkspace<Real>&); \
    template void precondition(const ImplicitWorkspace<Real>&, const Array<Lanes<Real>>&,    \
                               Array<Lanes<Real>>&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
