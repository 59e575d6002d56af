// Scratch of one phase. Everything here follows from the particles and their links.
#pragma once

#include "knead/particles/phase.h"
#include "knead/points/embedded/both_ends.h"
#include "knead/points/embedded/link_laplacian.h"

namespace knead {

template <class Real>
struct EmbeddedWorkspace {
    // compute_basis
    Array<Lanes<Real>> weighted;      // w u and w = (1 - |u|^2 / h^2)^3, one a slot; 0 if free
    Array<Sym3<Real>> basis_inverse;  // A^-1, scaled as the weights are; 0 where degenerate
    Array<Real> spread;               // 1 / trace of A, scaled likewise; 0 where degenerate
    Array<Real> trust;                // in what neighbours tell of deformation, 0 to 1
    Array<Real> stiffness;            // bound of a neighbourhood's, see bound_stiffness [m / kg]
    Array<char> surface;              // 1 where neighbours are on one side only
    // deformation_gradient
    Array<Lanes<double>> x;  // positions, side by side
    Array<Real> F[9];        // row by row
    // plastic_factor
    // The force of a link is traction w u + restoring w x_ij, with
    Array<LaneColumns<Real>> traction;  // trust V P A^-1 - restoring F
    Array<Real> restoring;              // V k / trace A
    Array<Mat3<Real>> flow;             // F_p of this step, only where the flow column is not 0
    // elastic_forces, integrate
    Array<Lanes<Real>> force, velocity, change, residual;
    ScatterBuffer<Real> scatter_buffer;
    Array<Real> directed;  // coefficients of the matrix in hand, one a slot
    Array<Real> drag;      // of the viscosity, one a slot
    Array<Real> inertia;   // M / dt, or 0
    LinkLaplacian<Real> viscosity, placement;
    // embed
    Array<LaneColumns<Real>> rotation;  // of embedded space against rest space, nonlinear only

    LinkGraph graph;
    bool links_changed = true;  // the graph is out of date
    bool rest_changed = true;   // weights and basis are out of date
    bool viscosity_changed = true;

    std::size_t bytes() const;
};

}  // namespace knead
