// A run as those see it who draw or export it. Its scene is read once, its colliders are meshed
// once, and what all its frames have in common is surveyed once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knead/io/surface_mesh.h"
#include "knead/picture/collider_meshes.h"
#include "knead/picture/survey.h"
#include "knead/sim/run_folder.h"

namespace knead {

class RunView {
public:
    // InputError where there are no frames, or where the scene in the folder is wrong. `settings`
    // are "key.path=value" as given to --set, for keys that say how things look.
    explicit RunView(const std::string& folder, const std::vector<std::string>& settings = {});

    const RunFolder& folder() const { return folder_; }
    const std::optional<Scene>& scene() const { return scene_; }        // nothing: it has none
    const std::vector<Vec3f>& colors() const { return colors_; }        // of bodies, linear light
    std::vector<BodyLabel> labels() const;                              // of bodies
    const std::vector<std::string>& frames() const { return frames_; }  // all, by number

    std::string surface_file(const std::string& frame_file) const;
    double frame_rate() const { return scene_ ? scene_->time.frame_rate : 30.0; }

    // Around the particles of each frame that has some, with their radius; around all of them.
    const std::vector<Box3>& boxes() const;
    Box3 box() const;
    // What is neither ground nor hidden; what has no end is cut off well outside of the box.
    const std::vector<ColliderMesh>& colliders() const;
    // Of a column in all frames.
    ValueRange range(const std::string& column) const;

private:
    RunFolder folder_;
    std::optional<Scene> scene_;
    std::vector<Vec3f> colors_;
    std::vector<std::string> frames_;
    mutable std::optional<std::vector<Box3>> boxes_;
    mutable std::optional<std::vector<ColliderMesh>> colliders_;
};

}  // namespace knead
