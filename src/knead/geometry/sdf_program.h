// The flat program behind an SdfShape: operations in postfix order over one pool of numbers. A
// primitive pushes its distance, a set operation folds the top two, enter and leave bracket a
// moved part. Plain data, so that the same arrays run on the device.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "knead/geometry/box3.h"
#include "knead/geometry/sdf_grid.h"

namespace knead {

// In brackets: the numbers each operation reads, in order.
enum class SdfCode : int {
    sphere,        // [center 3, radius]
    box,           // [center 3, half size less rounding 3, rounding]
    cylinder,      // [middle 3, axis 3, radius less rounding, half length less rounding, rounding]
    capsule,       // [middle 3, axis 3, half length, radius]
    cone,          // [a 3, axis 3, length, radius at a, radius at b]
    torus,         // [center 3, axis 3, major, minor]
    plane,         // [normal 3, offset]
    ellipsoid,     // [center 3, radii 3]
    polygon,       // [half height, x0, y0, x1, y1 ... and a tree, see polygon_edges.h],
                   // counter-clockwise, `count` corners
    grid,          // [], `count` is the grid's index
    unite,         // the smaller of two
    smooth_unite,  // [blend radius]
    subtract,      // first without second
    intersect,     // the larger of two
    shell,         // [half thickness]
    offset,        // [how far outwards]
    enter,         // [rotation 9, translation 3, scale]: goes to the part's own frame
    leave,         // the same numbers: and back
};

struct SdfOp {
    SdfCode code;
    int at = 0;  // where its numbers begin
    int count = 0;
};

// What the evaluator reads; T is float or double.
template <class T>
struct SdfProgramView {
    const SdfOp* ops;
    int op_count;
    const T* numbers;
    const SdfGridView<T>* grids;
};

inline constexpr int sdf_value_depth = 32;  // of the evaluator's stack of distances
inline constexpr int sdf_point_depth = 16;  // of its stack of frames

struct SdfProgram {
    std::vector<SdfOp> ops;
    std::vector<double> numbers;
    std::vector<std::shared_ptr<const SdfGrid>> grids;
    std::vector<SdfGridView<double>> grid_views;
    int value_depth = 1;
    int point_depth = 0;
    std::function<Box3(double)> level_box;  // contains every point with distance <= level
    Box3 bounds;                            // level_box(0)
    // |distance(p) - distance(q)| <= lipschitz |p - q| + slack; 1 and 0 unless grids take part.
    double lipschitz = 1;
    double slack = 0;

    SdfProgramView<double> view() const {
        return {ops.data(), static_cast<int>(ops.size()), numbers.data(), grid_views.data()};
    }
};

}  // namespace knead
