// A run's folder as it is now: what is in it may grow, start anew or go while it is looked at.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "knead/picture/run_view.h"

namespace knead::view {

class WatchedRun {
public:
    explicit WatchedRun(std::string folder) : folder_(std::move(folder)) {}

    const RunFolder& folder() const { return folder_; }
    // Looks at the folder again. The number it returns grows whenever something has changed.
    std::int64_t look();

    // Answers for the page, as JSON or as messages (message.h). InputError where the run has no
    // such frame or column, or is gone.
    std::string description();  // without what a page may change
    std::string statistics() const;
    // Of volumes every nth particle (message.h).
    std::string frame(int number, const std::string& column, int nth = 1);
    std::string surface(int number, const std::string& column);
    std::string colliders();
    // Of a column in all frames, or in some spread over them where there are many.
    std::string range(const std::string& column);
    // All columns of one particle: `point` counts those of the frame's message.
    std::string pick(int number, std::int64_t point, bool is_vertex);

private:
    struct Scenery {  // what follows from the scene
        std::optional<Scene> scene;
        std::vector<Vec3f> colors;
        std::vector<ColliderMesh> colliders;
        std::optional<GroundPlane> ground;
        std::vector<std::string> warnings;
    };
    std::shared_ptr<const Scenery> scenery();
    std::string frame_file(int number) const;  // InputError where there is none

    RunFolder folder_;
    mutable std::mutex mutex_;
    std::int64_t version_ = 0, epoch_ = 0;
    std::string seen_, scene_seen_;  // stamps of files
    std::shared_ptr<const Scenery> scenery_;
};

}  // namespace knead::view
