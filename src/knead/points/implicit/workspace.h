// Scratch of the implicit method, over the particles of all phases: rows of one phase after those
// of another. Everything here follows from the state.
#pragma once

#include "knead/particles/phase.h"
#include "knead/points/implicit/coarse_space.h"
#include "knead/points/implicit/neighbour_blocks.h"
#include "knead/scenery/constraints.h"

namespace knead {

// Two rows of different bodies that touch: a spring along n, and friction as a drag across it.
struct PairContact {
    std::uint32_t other;
    Vec3d n;
    double stiffness;  // dt^2 k [kg]
    double drag;       // dt times the friction a speed [kg]
    double overlap;    // at the start of the step [m]
};

// The fine half of the two-level preconditioner: once B - twice B A B, with B the inverse of the
// diagonal blocks.
struct Smoothing {
    double once = 1, twice = 0;
};

template <class Real>
struct ImplicitWorkspace {
    // load
    std::vector<std::size_t> first;  // row of each phase's first particle, and the end
    std::vector<Vec3d> x;            // positions
    std::vector<std::int32_t> body;
    Array<Real> mass, support;
    Array<Real> shear, lame;     // moduli times volume [J]
    double support_share = 2.5;  // h in spacings
    // find_neighbours, build_rest
    std::vector<Vec3d> source;  // positions that rest vectors are made from
    Array<Real> to_rest[9];     // and the matrix that makes them, row by row
    Array<char> keeps_rest;     // lazy: 1 where rest vectors are kept; else they follow x
    NeighbourBlocks<Real> near;
    Array<Real> reach;             // within which a row's neighbours are [m]
    Array<Lanes<Real>> rest_rows;  // to_rest in units of h, three rows of a matrix each
    Array<Lanes<Real>> sum_g;      // of a row's gradient vectors
    Array<char> sound;             // 1 where the fit can be trusted
    Array<char> parted;            // 1 where a kept neighbour has gone
    Array<Real> F[9];              // deformation at the start of the step
    // predict, freeze_rotations
    Array<Lanes<Real>> ballistic;  // displacement without elastic force
    Array<Lanes<Real>> delta;      // the first guess, then the solution
    Array<Real> R[9];
    Array<Real> mu, lambda;  // dt^2 times shear and lame
    // mark_contacts
    std::vector<Constraint> constraints;
    std::vector<PushedBody> pushed;
    std::vector<Vec3d> pushed_motion;     // shift and turn of each, besides its free motion
    std::vector<std::uint32_t> touching;  // rows with pair contacts
    std::vector<std::size_t> pair_begin;
    std::vector<PairContact> pairs;
    // solve; rows, then two vectors a pushed body: its shift and its turn
    Array<Lanes<Real>> residual;
    Array<Lanes<Real>> change;
    Array<Real> inverse_block[6];       // of the preconditioner
    std::vector<Mat3d> pushed_inverse;  // of shifts and turns, by turns
    CoarseSpace<Real> coarse;
    Smoothing smoothing;
    // update_state
    Array<Lanes<Real>> force;   // dt^2 times the elastic force at the solution
    std::vector<Vec3d> pushes;  // dt times the impulse of each constraint there [kg m]

    std::size_t size() const { return x.size(); }
    double spacing(std::size_t i) const { return static_cast<double>(support[i]) / support_share; }
    std::size_t row_of(const Constraint& c) const { return first[c.phase] + c.row; }
    // The pushed body that a constraint belongs to, or -1; and how that moves it there.
    int pushed_of(const Constraint& c) const {
        if (c.collider < 0) return -1;
        for (std::size_t b = 0; b < pushed.size(); ++b)
            if (pushed[b].collider == c.collider) return static_cast<int>(b);
        return -1;
    }
    Vec3d carried(const Constraint& c) const {
        const int b = pushed_of(c);
        if (b < 0) return {0, 0, 0};
        const std::size_t at = 2 * static_cast<std::size_t>(b);
        return pushed_motion[at] + cross(pushed_motion[at + 1], c.arm);
    }
    std::size_t bytes() const;
};

}  // namespace knead
