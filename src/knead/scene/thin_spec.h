// A sheet or curves as a scene describes them.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "knead/geometry/weave/knit.h"
#include "knead/geometry/weave/read_thin.h"
#include "knead/geometry/weave/sheet.h"
#include "knead/geometry/weave/strands.h"
#include "knead/scene/shape_spec.h"

namespace knead {

// Knitted flat, or in the round where it has radii or a shape to go around.
struct KnitSpec : KnitPlan {
    double radius = 0;                    // at the bottom of a tube [m]; 0: flat
    std::optional<double> middle_radius;  // half way up [m]
    std::optional<double> top_radius;     // [m]
    std::vector<ShapeSpec> around;        // one: a closed shape, seen from the axis [m]
    double distance = 0;                  // from its surface to the yarn's middle [m]
};

// From a file; absolute once read from a scene file.
struct ThinMeshSpec : ThinFilePlan {
    std::string file;
};
struct CurvesSpec : ThinFilePlan {
    std::string file;
};

using ThinForm = std::variant<std::monostate, SheetPlan, CurtainPlan, KnitSpec, HairTubePlan,
                              FibreBundlePlan, PilePlan, CarpetPlan, ThinMeshSpec, CurvesSpec>;

struct ThinSpec {
    ThinForm form;
    std::optional<double> edge;       // wanted length of edges [m]; default: a grid cell
    std::optional<double> thickness;  // of sheets [m]
    std::optional<double> radius;     // of curves [m]
    Vec3d rotate{0, 0, 0};            // about the origin, axis times angle [degrees]
    Vec3d translate{0, 0, 0};         // then moved [m]
};

}  // namespace knead
