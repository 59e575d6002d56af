// A run's frames as scenes to render: surfaces or particles, colliders, ground, camera, colours.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "knead/picture/run_view.h"
#include "knead/render/scene.h"

namespace knead {

// How volumes are drawn: as each body's `draw` says, or all alike.
enum class DrawMode { by_body, surface, points };

struct PictureOptions {
    DrawMode mode = DrawMode::by_body;
    std::string color_by;  // column; "": by body
    std::optional<Vec3d> camera_position, camera_target;
    std::optional<std::pair<double, double>> range;  // of the colour map; nothing: all there is
};

// The scene's size, samples and background, where the run has a scene.
render::Look look_of(const RunView& run);

class PictureMaker {
public:
    // `run` must outlive it. Camera, ground and colour map are those of the whole run.
    PictureMaker(const RunView& run, const PictureOptions& options, const render::Look& look);

    render::Scene scene_of(const std::string& frame_file) const;

private:
    void make_legend();
    void place_ground();
    void place_camera();
    void find_grains();
    void add_surface(const std::string& frame_file, const Frame& frame, render::Scene& out) const;
    std::vector<float> shown_values(const Frame& frame, const SurfaceMesh& mesh) const;
    bool as_points(std::int32_t body) const;
    void add_points(const Frame& frame, render::Scene& out) const;
    void add_thin(const Frame& frame, render::Scene& out) const;
    std::vector<Vec3f> row_colors(const Frame& frame) const;
    void add_moved_colliders(const Frame& frame, render::Scene& out) const;

    const RunView& run_;
    PictureOptions options_;
    render::Look look_;
    std::vector<char> grains_;  // bodies that are drawn as points
    std::optional<render::Ground> ground_;
    render::Camera camera_;
    std::optional<render::Legend> legend_;
};

}  // namespace knead
