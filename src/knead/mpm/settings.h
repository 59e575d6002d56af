// What a scene may choose about the grid solvers.
#pragma once

namespace knead {

// How velocities return from the grid: APIC's affine ones; FLIP's own velocities, with the grid's
// change; or both, AFLIP [Fei 2021, section 4].
enum class Transfer { apic, flip, aflip };
constexpr bool is_affine(Transfer t) { return t != Transfer::flip; }
constexpr bool keeps_own(Transfer t) { return t != Transfer::apic; }

// Where sticky colliders hold matter: at the nodes of the grid that are in them or near, or at
// their surface, with those nodes bound to free ones further out.
enum class StickyWalls { nodes, surface };

// What of the model of sheets and curves is in use [Jiang 2017, Fig. 10]: all; all but contact's
// return map; no contact; or no mesh, as for any other particles.
enum class ThinModel { full, no_plasticity, lagrangian_only, standard_mpm };

// What contact on the grid's nodes needs besides the colliders.
struct NodeContact {
    double sticky_reach = 0;  // nodes this far outside of a sticky collider are held, too [cells]
    double dt = 0;            // [s]; 0: no adhesion
    StickyWalls sticky_walls = StickyWalls::nodes;
};

// How velocities follow from forces: those of the step's start, or those of its end, which takes a
// solve and no heed of how stiff matter is.
enum class Integrator { symplectic, implicit };

struct MpmSettings {
    double dx = 0;   // grid spacing [m]
    int kernel = 2;  // B-spline order: 1 linear, 2 quadratic, 3 cubic
    Transfer transfer = Transfer::apic;
    double flip_fraction = 0.95;  // share of FLIP a step; the rest is PIC
    double flip_dt = 0;           // [s] step that flip_fraction belongs to: fraction^(dt/flip_dt);
                                  // 0: the same fraction whatever the step (FLIP), or the longest
                                  // stable step of the stiffest material (AFLIP)
    StickyWalls sticky_walls = StickyWalls::nodes;
    double damping = 0;  // of APIC's shear modes, 0..1 [Jiang 2017, Eq. 2]
    double sticky_reach =
        0.95;                // nodes this far outside of a sticky collider it holds, too [cells]
    double cfl = 0.5;        // cells a particle may cross in a step
    double stability = 0.6;  // share of the elastic step bound to use
    bool estimate_volumes = false;  // rest volumes from the grid density [Yue 2015, Alg. 5]

    // Tearing [Yue 2015, section 7], for materials with a tear threshold.
    bool tearing = true;
    bool limit_stress = true;       // torn matter bears no tension
    bool limit_deformation = true;  // nor gathers more shear or volume
    bool healing = true;            // plastic strain fades with the recovery time
    int healing_interval = 20;      // steps between two healings, exact for any number
    bool remove_subgrid = false;    // delete torn slivers that the grid cannot see
    bool removes_slivers() const { return tearing && remove_subgrid; }

    // Resampling [Yue 2015, section 6]: fill voids, merge particles that meet.
    bool resampling = false;
    double resampling_interval = 0;  // least time between two [s]; 0: 50 steps
    double resampling_strain = 0.2;  // and how far matter must have strained since

    ThinModel thin_model = ThinModel::full;

    // The implicit step [Jiang 2017, section 4.4].
    Integrator integrator = Integrator::symplectic;
    double newton_tolerance = 1e-4;  // of the residual, over that of the start
    double newton_least = 1e-5;      // a residual that is small enough anyway [cells a step]
    int newton_iterations = 10;      // at most
    double minres_tolerance = 0.1;   // of the solves inside, where Newton's is not near yet
    int minres_iterations = 300;     // at most, of one solve
    bool is_implicit() const { return integrator == Integrator::implicit; }

    // What APIC's affine matrix C weighs in angular momentum [m^2], the second moment of the
    // kernel: dx^2 / 4 quadratic, dx^2 / 3 cubic, dx^2 / 6 on average linear.  [Jiang 2015]
    double affine_inertia() const {
        return is_affine(transfer) ? dx * dx / (kernel == 1 ? 6 : 6 - kernel) : 0;
    }
};

}  // namespace knead
