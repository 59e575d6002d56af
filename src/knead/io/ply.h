// PLY, binary little-endian: what the reader found in a file, and surface meshes in and out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knead/io/frame.h"
#include "knead/io/surface_mesh.h"

namespace knead {

// A property that is a list: row i holds values[starts[i] .. starts[i + 1]) where its numbers are
// whole, else reals[starts[i] .. starts[i + 1]).
struct PlyList {
    std::string name;
    std::vector<std::size_t> starts;
    std::vector<std::int32_t> values;
    std::vector<float> reals{};

    std::size_t length(std::size_t i) const { return starts[i + 1] - starts[i]; }
};

struct PlyElement {
    std::string name;
    std::size_t count = 0;
    std::vector<FrameColumn> columns;
    std::vector<PlyList> lists;
};

struct PlyFile {
    std::vector<std::string> comments;
    std::vector<PlyElement> elements;

    const PlyElement* find(const std::string& name) const;
    // What knead's own comments say; both stay as they are where the file does not say.
    void read_stamp(int& frame, double& time) const;
};

// InputError where the bytes are no such file; `name` stands for the file in the message.
PlyFile parse_ply(std::string_view bytes, const std::string& name);
// The bytes of a file; InputError where it cannot be read.
std::string read_bytes(const std::string& path);

void write_ply(const std::string& path, const SurfaceMesh& mesh);
SurfaceMesh read_surface(const std::string& path);
SurfaceMesh parse_surface(std::string_view bytes, const std::string& name);

}  // namespace knead
