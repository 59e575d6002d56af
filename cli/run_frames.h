// What surface, render and export share: which frames of a run are meant, and its colours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knead/io/surface_mesh.h"
#include "knead/scene/scene.h"

namespace knead::cli {

// Frame numbers from --frames: "all", "7", "10:20", "10:", ":20", "0:100:5"; both ends included.
struct FrameRange {
    int first = 0;
    int last = -1;  // below 0: to the end
    int step = 1;
};
FrameRange parse_range(const std::string& text);  // InputError where it is none of these

// The files folder/stem_NNNNN.ply within the range. InputError where there are none.
std::vector<std::string> select_files(const std::string& folder, const std::string& stem,
                                      const FrameRange& range);

// The scene that the run folder holds; nothing where it has none.
std::optional<Scene> scene_of_run(const std::string& folder);
// Colours of the scene's bodies in linear light (files say them as screens show them).
std::vector<Vec3f> body_colors(const std::optional<Scene>& scene);
Vec3f linear_color(const Vec3f& as_shown);
Vec3f color_of(const std::vector<Vec3f>& colors, std::int32_t body);
// Gives every vertex the colour of its body, where the mesh has no colours yet.
void color_by_body(SurfaceMesh& mesh, const std::vector<Vec3f>& colors);

// Adds a mistake about an option where it is not as it must be.
void require(bool good, const char* option, const char* what, std::vector<Mistake>& mistakes);
std::pair<double, double> parse_pair(const std::string& option, const std::string& text);  // "0,1"
Vec3d parse_vector(const std::string& option, const std::string& text);  // "1,2,3"
// A folder to write to, without what killed commands left in it. RunError.
void make_folder(const std::string& path);

}  // namespace knead::cli
