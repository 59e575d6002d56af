// The readers behind read_mesh, and what they share. Each takes the whole file; none allocates more
// than the file's size justifies.
#pragma once

#include <string>
#include <string_view>

#include "knead/base/error.h"
#include "knead/geometry/mesh.h"

namespace knead::mesh_format {

Mesh read_obj(std::string_view bytes, const std::string& name);
Mesh read_ply(std::string_view bytes, const std::string& name);
Mesh read_stl(std::string_view bytes, const std::string& name);

// Cuts a polygon into triangles: a fan where it is convex, by ears where it is not. `uv` has the
// texture coordinates of its corners, or nothing.
using CornerUv = std::vector<std::array<float, 2>>;
void add_polygon(Mesh& mesh, const std::vector<int>& corners, const CornerUv& uv = {});

// Reads a whole token as a number; false when it is none. "nan" and "inf" are numbers.
bool parse_number(std::string_view token, double& value);
bool parse_integer(std::string_view token, long long& value);

// A vertex from three numbers; false unless all are finite as floats.
bool make_vertex(double x, double y, double z, Vec3f& vertex);

// Text as tokens between white space, with the line each one is on.
class Tokens {
public:
    explicit Tokens(std::string_view text, int line = 1) : text_(text), line_(line) {}
    std::string_view next();  // empty at the end
    void skip_line();         // what is left of the last token's line
    int line() const { return token_line_; }

private:
    std::string_view text_;
    int line_;
    int token_line_ = 1;
};

}  // namespace knead::mesh_format
