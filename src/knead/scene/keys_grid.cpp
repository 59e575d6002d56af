// The keys of the grid method, and those that every method has.
#include "knead/scene/methods.h"

namespace knead {

namespace {

// How a step is taken.
Keys<SolverSpec> integrator_keys() {
    using T = SolverSpec;
    using K = KeyOf<T>;
    const auto implicit = [](const T& s) { return s.integrator == Integrator::implicit; };
    return {
        K::word("integrator", &T::integrator,
                Words<Integrator>{{"explicit", Integrator::symplectic},
                                  {"implicit", Integrator::implicit}},
                "explicit, or one solve a step, whose length stiffness does not limit; apic only"),
        K::only_when(implicit,
                     K::number("newton_tolerance", &T::newton_tolerance, {0, 1, true, true}, "",
                               "residual of a step over that of its start; implicit")),
        K::only_when(implicit,
                     K::number("newton_least", &T::newton_least, {0, 1}, "",
                               "a residual that is small enough anyway [cells a step]; implicit")),
        K::only_when(implicit, K::integer("newton_iterations", &T::newton_iterations, {1, 1000},
                                          "of a step; running into it is counted (newton_limit)")),
        K::only_when(implicit,
                     K::number("minres_tolerance", &T::minres_tolerance, {0, 1, true, true}, "",
                               "of the solves inside, at most; implicit")),
        K::only_when(implicit,
                     K::integer("minres_iterations", &T::minres_iterations, {1, 1e5},
                                "of such a solve; running into it is counted (minres_limit)")),
    };
}

// How particles and grid speak to each other, and where walls hold.
Keys<SolverSpec> transfer_keys() {
    using T = SolverSpec;
    using K = KeyOf<T>;
    const auto own = [](const T& s) { return keeps_own(s.transfer); };
    const auto affine = [](const T& s) { return is_affine(s.transfer); };
    return {
        K::word("kernel", &T::kernel, Words<int>{{"linear", 1}, {"quadratic", 2}, {"cubic", 3}},
                "B-spline between particles and grid; linear: apic on the CPU, for comparison"),
        K::word("transfer", &T::transfer,
                Words<Transfer>{
                    {"apic", Transfer::apic}, {"flip", Transfer::flip}, {"aflip", Transfer::aflip}},
                "how velocity returns from the grid; apic keeps spin; flip takes it away within a "
                "second; aflip: affine as apic, and with the particles' own velocities as flip, so "
                "that flow does not depend on the step"),
        K::only_when(own, K::number("flip_fraction", &T::flip_fraction, {0, 1}, "",
                                    "fraction of FLIP, the rest is PIC, or APIC for aflip; "
                                    "flip and aflip only")),
        K::only_when(own, K::number("flip_dt", &T::flip_dt, at_least(0), "s",
                                    "time step to which flip_fraction refers; 0: each step, "
                                    "whatever its length (flip), or the longest stable one of the "
                                    "stiffest material (aflip)")),
        K::only_when(affine, K::number("damping", &T::damping, {0, 1}, "",
                                       "damping of APIC's shear modes; apic and aflip only")),
        K::word(
            "sticky_walls", &T::sticky_walls,
            Words<StickyWalls>{{"nodes", StickyWalls::nodes}, {"surface", StickyWalls::surface}},
            "where sticky colliders hold matter: at the nodes of the grid in them and near, or "
            "at their surface, as flow along them needs"),
        K::number("sticky_reach", &T::sticky_reach, {0, 1}, "",
                  "how far outside of a sticky collider it holds nodes of the grid, in cells; 0: "
                  "only those inside, which depends on where its faces lie between the nodes; "
                  "sticky_walls = \"nodes\" only"),
    };
}

// What a step may do, and what foam does besides.
Keys<SolverSpec> step_keys() {
    using T = SolverSpec;
    using K = KeyOf<T>;
    return {
        K::number("cfl", &T::cfl, {0, 1, true, false}, "", "cells a particle may cross in a step"),
        K::number("stability", &T::stability, {0, 1, true, false}, "",
                  "fraction of the stable elastic time step to use"),
        K::word("volumes", &T::estimate_volumes, Words<bool>{{"exact", false}, {"estimate", true}},
                "rest volumes: exact from the shape, or estimated on the grid"),
        K::flag("tearing", &T::tearing, "let materials with a tear threshold tear"),
        K::flag("limit_stress", &T::limit_stress, "torn matter bears no tension"),
        K::flag("limit_deformation", &T::limit_deformation,
                "torn matter accumulates no more shear or volume"),
        K::flag("healing", &T::healing, "plastic strain fades with the recovery time"),
        K::integer("healing_interval", &T::healing_interval, {1, 1000},
                   "steps between healings, and between removals"),
        K::flag("remove_subgrid", &T::remove_subgrid,
                "delete torn particles that are too few or too flat for the grid to resolve"),
        K::word("thin_model", &T::thin_model,
                Words<ThinModel>{{"full", ThinModel::full},
                                 {"no-plasticity", ThinModel::no_plasticity},
                                 {"lagrangian-only", ThinModel::lagrangian_only},
                                 {"standard-mpm", ThinModel::standard_mpm}},
                "sheets and curves: the whole model, or without friction's return map, without "
                "contact, without a mesh; for comparison"),
        K::flag("resampling", &T::resampling,
                "insert particles into voids and merge particles that are too close"),
        K::number("resampling_interval", &T::resampling_interval, at_least(0), "s",
                  "shortest time between two resamplings; 0: 50 steps"),
        K::number(
            "resampling_strain", &T::resampling_strain, at_least(0), "",
            "strain of the fastest-straining matter that the next resampling waits for; 0: none"),
        K::word("precision", &T::precision,
                Words<Precision>{{"single", Precision::single}, {"double", Precision::double_}},
                "precision of particle data; positions are always double"),
    };
}

}  // namespace

Keys<SolverSpec> grid_keys() {
    Keys<SolverSpec> keys = transfer_keys();
    for (const auto& more : {step_keys, integrator_keys})
        for (Key<SolverSpec>& key : more()) keys.push_back(std::move(key));
    return keys;
}

}  // namespace knead
