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

// Only what pictures show may change once matter has moved.
void require_looks(const std::string& setting) {
    const std::string path = setting.substr(0, setting.find('='));
    if (path.starts_with("picture.") || path.starts_with("camera.")) return;
    const std::string last = path.substr(path.rfind('.') + 1);
    if (path.starts_with("bodies.") && (last == "color" || last == "draw")) return;
    if (path.starts_with("colliders.") && (last == "color" || last == "visible")) return;
    throw InputError({"--set " + setting}, "this key says how matter moves, and it has moved",
                     "change it with knead run; here picture, camera and the color, draw and "
                     "visible of bodies and colliders may change");
}

std::optional<Scene> scene_of_run(const RunFolder& folder,
                                  const std::vector<std::string>& settings) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder.scene(), ignored)) {
        if (!settings.empty())
            throw InputError({"--set " + settings[0]},
                             "there is no " + folder.scene() + " that it could change");
        return std::nullopt;
    }
    for (const std::string& setting : settings) require_looks(setting);
    return read_scene(folder.scene(), settings);
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

RunView::RunView(const std::string& folder, const std::vector<std::string>& settings)
    : folder_(folder), frames_(folder_.frame_files()) {
    if (frames_.empty())
        throw InputError({folder_.frames()}, "there are no files frame_NNNNN.ply here",
                         "give the folder of a run; knead run makes one");
    scene_ = scene_of_run(folder_, settings);
    colors_ = body_colors(scene_);
}

std::vector<BodyLabel> RunView::labels() const {
    std::vector<BodyLabel> labels;
    if (scene_)
        for (const BodySpec& body : scene_->bodies) labels.push_back({body.name, body.material});
    return labels;
}

std::string RunView::surface_file(const std::string& frame_file) const {
    return frame_path(folder_.path() + "/surface", "surface", frame_number(frame_file), "ply");
}

const std::vector<Box3>& RunView::boxes() const {
    if (boxes_) return *boxes_;
    boxes_ = survey_boxes(folder_.stats(), frames_);
    if (boxes_->empty())
        boxes_ = {Box3{{-0.5, 0, -0.5}, {0.5, 1, 0.5}}};
    else
        for (Box3& box : *boxes_) box = box.grown(radius_of(scene_, frames_.front()));
    return *boxes_;
}

Box3 RunView::box() const {
    Box3 all;
    for (const Box3& box : boxes()) all.add(box.lo), all.add(box.hi);
    return all;
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
