// Sheets and curves of a frame as pictures show them: cloth as a closed shell as thick as it is,
// yarn and hair as smooth tubes.
#pragma once

#include "knead/io/frame.h"
#include "knead/render/scene.h"

namespace knead {

// Unit normals of the rows that triangles join, weighted by area; zero elsewhere.
std::vector<Vec3f> sheet_normals(const Frame& frame);

// `colors` has one a row. The back is a little darker.
render::Mesh cloth_of(const Frame& frame, const std::vector<Vec3f>& colors);
render::Tubes tubes_of(const Frame& frame, const std::vector<Vec3f>& colors);

}  // namespace knead
