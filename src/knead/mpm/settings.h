// What a scene may choose about the grid solvers.
#pragma once

namespace knead {

enum class Transfer { apic, flip };

struct MpmSettings {
    double dx = 0;   // grid spacing [m]
    int kernel = 2;  // B-spline order: 2 quadratic, 3 cubic
    Transfer transfer = Transfer::apic;
    double flip_fraction = 0.95;  // share of FLIP a step; the rest is PIC
    double flip_dt = 0;           // [s] step that flip_fraction belongs to: fraction^(dt/flip_dt);
                                  // 0: the same fraction whatever the step
    double damping = 0;           // of APIC's shear modes, 0..1 [Jiang 2017, Eq. 2]
    double cfl = 0.5;             // cells a particle may cross in a step
    double stability = 0.6;       // share of the elastic step bound to use
    bool estimate_volumes = false;  // rest volumes from the grid density [Yue 2015, Alg. 5]
};

}  // namespace knead
