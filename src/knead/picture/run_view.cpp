#include "knead/picture/run_view.h"

#include <algorithm>
#include <filesystem>

#include "knead/base/error.h"
#include "knead/io/atomic_file.h"
#include "knead/io/frame_reader.h"
#include "knead/picture/colors.h"
#include "knead/scene/read_scene.h"

namespace knead {

namespace {

std::optional<Scene> scene_of_run(const RunFolder& folder) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder.scene(), ignored)) return std::nullopt;
    return read_scene(folder.scene());
}

// The largest radius of a particle at rest [m].
double radius_of(const std::optional<Scene>& scene, const std::string& frame_file) {
    double radius = 0;
    if (scene) {
        for (const BodySpec& body : scene->bodies)
            radius = std::max(radius, spacing_of(*scene, body) / 2);
        return radius;
    }
    const Frame frame = read_frame(frame_file);
    return frame.find("pscale") && frame.count > 0 ? static_cast<double>(frame.floats("pscale")[0])
                                                   : 0.0;
}

}  // namespace

RunView::RunView(const std::string& folder) : folder_(folder), frames_(folder_.frame_files()) {
    if (frames_.empty())
        throw InputError({folder_.frames()}, "there are no files frame_NNNNN.ply here",
                         "give the folder of a run; knead run makes one");
    scene_ = scene_of_run(folder_);
    colors_ = body_colors(scene_);
}

std::string RunView::surface_file(const std::string& frame_file) const {
    return frame_path(folder_.path() + "/surface", "surface", frame_number(frame_file), "ply");
}

const Box3& RunView::box() const {
    if (box_) return *box_;
    box_ = survey_box(folder_.stats(), frames_);
    if (box_->empty())
        box_ = {{-0.5, 0, -0.5}, {0.5, 1, 0.5}};
    else
        box_ = box_->grown(radius_of(scene_, frames_.front()));
    return *box_;
}

const std::vector<ColliderMesh>& RunView::colliders() const {
    if (colliders_) return *colliders_;
    colliders_.emplace();
    if (scene_) colliders_ = collider_meshes(*scene_, box().grown(0.75 * length(box().size())));
    return *colliders_;
}

ValueRange RunView::range(const std::string& column) const {
    const std::string pictures = folder_.path() + "/pictures";
    make_folder(pictures);
    return survey_range(pictures + "/survey.json", frames_, column);
}

}  // namespace knead
