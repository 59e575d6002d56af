// A particle of the step between its two visits to the grid: gathered, put through its law, moved,
// and what it adds to the grid for the step to come.
#pragma once

#include "knead/mpm/cuda/any_law.h"
#include "knead/mpm/cuda/gather.h"
#include "knead/mpm/cuda/particle_view.h"
#include "knead/mpm/cuda/scatter.h"
#include "knead/mpm/formulas.h"
#include "knead/mpm/strain.h"

namespace knead {

// A particle between its two visits to the grid.
struct Traveller {
    Vec3d x;
    Vec3f v;
    Mat3f C;
    Sym3f tau;
};

// The worst of a CUDA block.
struct Worst {
    float move = 0, speed = 0, used = 0, strain = 0;
};

template <class L, int Order, Transfer transfer, Touch touch>
__device__ inline Traveller take_along(const ParticleView& p, int row, bool active, const L& law,
                                       const StepView& step, int number, const Vec3i& block,
                                       const float4* tile, const NearList& near, Worst& worst) {
    const auto dt = static_cast<float>(step.dt), dx = static_cast<float>(step.dx);
    Traveller t;
    // All that memory has to bring, before anything waits for it.
    t.x = active ? Vec3d{p.x[0][row], p.x[1][row], p.x[2][row]}
                 : step.dx * (DeviceBlock::corner(block) + splat(1.5));
    Vec3f old{0, 0, 0};
    if (keeps_own(transfer) && active) old = {p.v[0][row], p.v[1][row], p.v[2][row]};
    MaterialState<float> state =
        active ? load_state<L::columns>(p, row) : MaterialState<float>::rest();
    DeviceGathered g;
    {
        const Stencil<Order> s(t.x, block, 1 / step.dx);
        g = gather<Order, transfer>(tile, s, dx);
    }
    t.v = g.velocity;
    if constexpr (is_affine(transfer)) {
        const Mat3f B = from_columns(g.affine[0], g.affine[1], g.affine[2]);
        t.C = AffineDamping<float>(Order, dx, step.damping)(B);
    }
    if constexpr (keeps_own(transfer))
        t.v = blend_flip(g.velocity, old, g.change, step.flip_fraction);

    const Mat3f dt_L = dt * from_columns(g.gradient[0], g.gradient[1], g.gradient[2]);
    if (step.wants_strain && active)
        worst.strain = fmaxf(worst.strain, strain_squared<float>(dt_L));
    t.tau = advance_law(law, state, dt_L, dt, step.heal_dt[number]);
    if (!active) return t;
    store_state<L::columns>(p, row, state);

    const Vec3d start = t.x;
    // AFLIP goes with the grid.
    const Vec3d course = static_cast<Vec3d>(transfer == Transfer::aflip ? g.velocity : t.v);
    if constexpr (touch == touch_none) {
        t.x += step.dt * course;
    } else {
        const Motion3 before{t.x, course, static_cast<Vec3d>(t.v)};
        const Motion3 after = touch == touch_face || near.face
                                  ? move_past_face(*near.face, before, step.dt)
                                  : move_past(near, before, step.dx, step.dt);
        t.x = after.x;
        t.v = static_cast<Vec3f>(transfer == Transfer::aflip ? after.own : after.v);
    }
    const Vec3f d = static_cast<Vec3f>(t.x - start);
    worst.move = fmaxf(worst.move, fmaxf(fabsf(d.x), fmaxf(fabsf(d.y), fabsf(d.z))) / dx);
    worst.speed = fmaxf(worst.speed, dot(t.v, t.v));
    const float sum = trace(t.tau) + t.tau.xy + t.tau.xz + t.tau.yz + t.v.x + t.v.y + t.v.z;
    if (!is_finite(sum))
        atomicMax(&step.slots[number].bad, ~(static_cast<unsigned long long>(p.phase) << 32 |
                                             static_cast<unsigned long long>(row)));
    return t;
}

template <Transfer transfer>
__device__ inline void store_traveller(const ParticleView& p, int row, const Traveller& t,
                                       int state) {
#pragma unroll
    for (int a = 0; a < 3; ++a) p.x[a][row] = t.x[a];
    if (keeps_own(transfer) || state != step_goes_on)
#pragma unroll
        for (int a = 0; a < 3; ++a) p.v[a][row] = t.v[a];
    if (state != step_ends) return;
    if constexpr (is_affine(transfer))
#pragma unroll
        for (int k = 0; k < 9; ++k) p.C[k][row] = t.C[k];
#pragma unroll
    for (int k = 0; k < 6; ++k) p.stress[k][row] = t.tau[k];
}

// What a step leaves only when it is the last of its batch stands where it was before the sort.
template <Transfer transfer>
__device__ inline Traveller load_traveller(const ParticleView& p, int row) {
    const unsigned before = p.order ? p.order[row] : static_cast<unsigned>(row);
    Traveller t;
#pragma unroll
    for (int a = 0; a < 3; ++a) {
        t.x[a] = p.x[a][row];
        t.v[a] = p.v[a][keeps_own(transfer) ? static_cast<unsigned>(row) : before];
    }
    if constexpr (is_affine(transfer))
#pragma unroll
        for (int k = 0; k < 9; ++k) t.C[k] = p.C[k][before];
#pragma unroll
    for (int k = 0; k < 6; ++k) t.tau[k] = p.stress[k][before];
    return t;
}

// `dt`: of the step to come.
template <int Order, Transfer transfer>
__device__ inline Deposit<Order, transfer> deposit_of(const Traveller& t, float m, float V,
                                                      const Stencil<Order>& s, float dt, float dx) {
    const float scale = -V * (transfer == Transfer::apic ? dt : 1.0f);
    return {m, t.v, t.C, scale * t.tau, s, dx};
}

}  // namespace knead
