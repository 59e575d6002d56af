// Knitted fabric as yarn curves, stitch by stitch: rows of loops that hang in the row below. Flat
// in the xy plane with rows going up, or in the round on a surface of revolution about y.
#pragma once

#include <functional>

#include "knead/geometry/weave/thin_body.h"

namespace knead {

enum class KnitPattern { stockinette, rib1, rib2, garter, seed };

struct KnitPlan {
    KnitPattern pattern = KnitPattern::stockinette;
    int rows = 10, columns = 10;
    double yarn = 0.005;       // diameter of the yarn, the unit of the stitches [m]
    int samples = 48;          // segments a stitch; even
    bool closures = true;      // bind-off and cast-on yarns that keep the end rows from slipping
    bool continuous = false;   // one yarn that turns at the ends of rows
    int plies = 1;             // helical threads that make up the yarn
    double ply_radius = 0.25;  // of the helix, in yarn diameters
    Vec3d center{0, 0, 0};     // of the fabric [m]
};

// Knit (+1) or purl (-1), and the stitch's proportions in yarn diameters.
int stitch_sign(KnitPattern pattern, int row, int column);
struct StitchShape {
    double bulge = 1.5, height = 4, depth = 1, pitch = 4.5, blend = 0.3;
};
StitchShape stitch_shape(KnitPattern pattern);

// Where the yarn of a row is at t, one stitch each 2 pi, in yarn diameters.
Vec3d yarn_at(KnitPattern pattern, int row, double t);

// Groups: "heads" of the top row, "feet" of the bottom row, "left" and "right" ends of rows.
// Throws RunError should rows not interlock.
ThinBody knit(const KnitPlan& plan);

// Rows as one helix around the y axis, so that the yarn has no ends but two: a tube, a cone or a
// closed shape. `radius(y, angle)` is that of the surface at height y above the lowest row [m], in
// the direction (cos angle, 0, -sin angle); the stitches of a column keep their number and are
// widened or narrowed with it.
ThinBody knit_in_the_round(const KnitPlan& plan,
                           const std::function<double(double, double)>& radius);

// The radius at which stitches in the round have their own width [m].
double natural_radius(const KnitPlan& plan);

// Signs of z between a row and the next where their projections on xy cross, in the order of the
// row's t within one column. Rows hold each other when they are (-, +, +, -) times the sign of the
// next row's stitch.
std::vector<int> crossing_signs(KnitPattern pattern, int row, int column);

}  // namespace knead
