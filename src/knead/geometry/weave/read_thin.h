// Sheets and curves from files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "knead/geometry/weave/thin_body.h"

namespace knead {

struct ThinFilePlan {
    std::optional<double> size;   // longest side after scaling [m]
    double scale = 1;             // without `size`
    std::optional<Vec3d> center;  // where the middle of its bounds goes [m]
    // Welds vertices at the same place, drops triangles and segments without size or that are there
    // twice, curves of one point and vertices that nothing uses.
    bool repair = false;
};

// What was read, and what a person should know: repairs that were made, seams that are open.
struct ThinFile {
    ThinBody body;
    std::vector<std::string> notes;
};

// A sheet from the triangles and polygons of an OBJ, PLY or STL file, open or closed, with its
// texture coordinates. STL vertices are always welded. InputError with place and remedy: no faces,
// triangles without area or twice, unused vertices, edges of three triangles.
ThinFile read_thin_mesh(const std::string& path, const ThinFilePlan& plan = {});
ThinFile parse_thin_mesh(std::string_view bytes, const std::string& name,
                         const ThinFilePlan& plan = {});

// Curves from the `l` elements of an OBJ file. Groups: "roots" and "tips", the first and last
// vertices of the lines. InputError: no lines, a line of one point, segments without length.
ThinFile read_curves(const std::string& path, const ThinFilePlan& plan = {});
ThinFile parse_curves(std::string_view bytes, const std::string& name,
                      const ThinFilePlan& plan = {});

// What to expect of these edges on a grid of cells dx [m]: nothing where they are half a cell to a
// cell long. Longer ones leak, much shorter ones keep wrinkles [Jiang 2017, section 6.1].
std::vector<std::string> edge_warnings(const ThinBody& body, double dx);

}  // namespace knead
