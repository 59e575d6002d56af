// Sheets of cloth: rectangles, flat or hung in folds.
#pragma once

#include <cstdint>

#include "knead/geometry/weave/thin_body.h"

namespace knead {

struct SheetPlan {
    Vec3d corner{0, 0, 0};
    Vec3d along{1, 0, 0}, across{0, 0, 1};  // its two sides [m]
    double edge = 0.02;                     // wanted length of an edge [m]
    double jitter = 0;                      // of inner vertices, in the sheet, share of an edge
    std::uint64_t seed = 0;
};

// Two triangles a quad with alternating diagonals. Groups: "start" and "end" of `along`, "left"
// and "right" of `across` (its start and end), "border", "corners". Texture coordinates run from 0
// to 1, u along `along`, v along `across`.
ThinBody sheet(const SheetPlan& plan);

struct CurtainPlan {
    Vec3d corner{0, 0, 0};         // top left; the curtain spans x and hangs down -y
    double width = 1, height = 1;  // as hung [m]
    int folds = 10;
    double depth = 0.03;  // of a fold to each side, along z [m]
    double edge = 0.02;   // [m]
    int ring_every = 0;   // 0: the whole top row is held; else three vertices at every so many
};

// A sheet in sine folds. At rest it is flat and wider than hung, by the length of the folds. Groups
// as for a sheet, with "top" for its pins.
ThinBody curtain(const CurtainPlan& plan);

}  // namespace knead
