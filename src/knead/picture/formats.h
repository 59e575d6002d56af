// The formats of other programs that a run is exported to. A format is a row, which stands in a
// file of its own in picture/formats/ and is named in formats.cpp; everything else follows from the
// list.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "knead/io/frame.h"
#include "knead/io/surface_mesh.h"

namespace knead {

struct ExportFormat {
    using Colors = std::vector<Vec3f>;                           // of bodies, linear light
    using Series = std::vector<std::pair<double, std::string>>;  // time [s] and file name

    std::string name;       // as given to --format
    std::string extension;  // of its files
    std::function<void(const std::string& path, const Frame&, const Colors&)> write_points;
    // Nothing where the format holds no meshes.
    std::function<void(const std::string& path, const SurfaceMesh&, const Colors&)> write_mesh;
    // The surface of a frame's particles, where the format holds it as something else than a mesh.
    std::function<void(const std::string& path, const Frame&)> write_surface{};
    // A list of all files, where other programs open that: its extension and how it is written.
    std::string index_extension{};
    std::function<void(const std::string& path, const Series&)> write_index{};
    // Sheets and curves, where the format holds them; `names` are those of bodies.
    using Names = std::vector<std::string>;
    std::function<void(const std::string& path, const Frame& thin, const Names&, const Colors&)>
        write_thin{};
    // Sheets and curves of all frames at once, where a file holds all of them. Returns the files.
    std::function<Names(const std::string& folder, const Names& frame_files, const Names&)>
        write_thin_series{};
};

const std::vector<ExportFormat>& export_formats();
std::vector<std::string> export_format_names();
// InputError where there is none of that name.
const ExportFormat& export_format(const std::string& name);

}  // namespace knead
