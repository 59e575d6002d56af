// A run's frames as scenes to render: surfaces or particles, colliders, ground, camera, colours.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "knead/picture/run_view.h"
#include "knead/render/scene.h"

namespace knead {

struct PictureOptions {
    bool points = false;   // particles as spheres, in place of the surface
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
    void add_surface(const std::string& frame_file, const Frame& frame, render::Scene& out) const;
    void add_points(const Frame& frame, render::Scene& out) const;
    void add_thin(const Frame& frame, render::Scene& out) const;
    std::vector<Vec3f> row_colors(const Frame& frame) const;
    void add_moved_colliders(const Frame& frame, render::Scene& out) const;

    const RunView& run_;
    PictureOptions options_;
    render::Look look_;
    std::optional<render::Ground> ground_;
    render::Camera camera_;
    std::optional<render::Legend> legend_;
};

}  // namespace knead
