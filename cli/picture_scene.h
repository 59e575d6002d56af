// A run's frames as scenes to render: surfaces or particles, colliders, ground, camera, colours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collider_meshes.h"
#include "knead/io/frame.h"
#include "knead/render/scene.h"
#include "knead/scene/scene.h"

namespace knead::cli {

struct PictureOptions {
    std::string folder;
    bool points = false;   // particles as spheres, in place of the surface
    std::string color_by;  // column; "": by body
    std::optional<Vec3d> camera_position, camera_target;
    std::optional<std::pair<double, double>> range;  // of the colour map; nothing: all there is
};

class PictureMaker {
public:
    // Looks through all frames, for the camera and the range of colours.
    PictureMaker(const PictureOptions& options, const std::vector<std::string>& frames,
                 const render::Look& look);

    render::Scene scene_of(const std::string& frame_file) const;

private:
    void survey(const std::vector<std::string>& frames);
    void add_colliders();
    void place_camera();
    void add_surface(const std::string& frame_file, const Frame& frame, render::Scene& out) const;
    void add_points(const Frame& frame, render::Scene& out) const;
    void add_moved_colliders(const Frame& frame, render::Scene& out) const;

    PictureOptions options_;
    render::Look look_;
    std::optional<Scene> scene_;
    std::vector<Vec3f> colors_;
    Box3 box_;  // of all particles in all frames
    std::vector<ColliderMesh> colliders_;
    std::optional<render::Ground> ground_;
    render::Camera camera_;
    std::optional<render::Legend> legend_;
};

// A column of the frame, or "speed", which follows from the velocity.
std::vector<float> values_of(const Frame& frame, const std::string& name);

}  // namespace knead::cli
