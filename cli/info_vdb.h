#pragma once

#include <string>

namespace knead::cli {

// Prints the grids of an OpenVDB file: name, type, voxels or points, bounds.
void show_vdb(const std::string& path);

}  // namespace knead::cli
