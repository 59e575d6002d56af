// Hair, fibres and pile: many strands at once.
#pragma once

#include <cstdint>

#include "knead/geometry/weave/thin_body.h"

namespace knead {

// Straight strands along `axis`, their roots spread evenly over a ring. Groups: "roots", "tips".
struct HairTubePlan {
    Vec3d root{0, 0, 0}, axis{0.6, 0, 0};  // from roots to tips [m]
    double inner = 0.08, outer = 0.12;     // radii of the ring [m]
    int strands = 2655, segments = 72;
};
ThinBody hair_tube(const HairTubePlan& plan);

// Strands at random places of a cylinder, nearly along its axis. Groups: "start" and "end", the
// vertices within `grip` of the cylinder's ends.
struct FibreBundlePlan {
    Vec3d start{0, 0, 0}, axis{1, 0, 0};  // of the cylinder [m]
    double radius = 0.25;                 // [m]
    double strand = 0.3;                  // length of a strand [m]
    double spread = 25;                   // largest angle to the axis [degrees]
    double grip = 0.1;                    // [m]
    int strands = 1000, segments = 15;
    std::uint64_t seed = 0;
};
ThinBody fibre_bundle(const FibreBundlePlan& plan);

// Layers of straight fibres, each across the one below.
struct PilePlan {
    Vec3d center{0, 0, 0};                            // of the lowest layer [m]
    double length = 0.5, gap = 0.03, spacing = 0.08;  // of a fibre, of layers, in a layer [m]
    int layers = 8, fibres = 5;                       // fibres a layer
    double edge = 0.02;                               // [m]
    bool crossed = true;                              // false: all along x, for a pile in a plane
};
ThinBody pile(const PilePlan& plan);

// A sheet with curled tufts on it, each welded to the backing's vertex that is nearest to its
// root. Groups: those of the sheet, "tips".
struct CarpetPlan {
    Vec3d corner{0, 0, 0};
    Vec3d along{1, 0, 0}, across{0, 0, -0.6};
    double edge = 0.01;
    double spacing = 0.025;  // of tufts [m]
    double length = 0.06;    // of a tuft [m]
    int segments = 16;
    double tilt = 20, curl = 90;  // largest tilt of a tuft, and how far it bends [degrees]
    std::uint64_t seed = 0;
};
ThinBody carpet(const CarpetPlan& plan);

}  // namespace knead
