// VTK XML PolyData (.vtp), raw data appended, and the index of a time series (.pvd) for ParaView.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "knead/io/frame.h"
#include "knead/io/surface_mesh.h"

namespace knead {

void write_vtp(const std::string& path, const Frame& frame, const std::vector<Vec3f>& body_colors);
void write_vtp(const std::string& path, const SurfaceMesh& mesh);
// The frame's segments as lines and its triangles as polygons, with their columns as cell data;
// rows that nothing joins are points without a cell.
void write_thin_vtp(const std::string& path, const Frame& frame,
                    const std::vector<Vec3f>& body_colors);
// Times [s] and file names, relative to the index.
void write_pvd(const std::string& path,
               const std::vector<std::pair<double, std::string>>& time_and_file);

}  // namespace knead
