#include "picture_scene.h"

#include <algorithm>
#include <cmath>

#include "knead/base/error.h"
#include "knead/io/frame_reader.h"
#include "knead/io/ply.h"
#include "knead/render/color_map.h"
#include "knead/scene/build_model.h"
#include "knead/surface/skin.h"
#include "run_frames.h"

namespace knead::cli {

std::vector<float> values_of(const Frame& frame, const std::string& name) {
    if (name != "speed" || frame.find("speed")) return frame.floats(name);
    std::vector<float> speed;
    for (const Vec3f& v : frame.vectors("vx", "vy", "vz")) speed.push_back(length(v));
    return speed;
}

PictureMaker::PictureMaker(const PictureOptions& options, const std::vector<std::string>& frames,
                           const render::Look& look)
    : options_(options), look_(look), scene_(scene_of_run(options.folder)) {
    colors_ = body_colors(scene_);
    survey(frames);
    add_colliders();
    place_camera();
}

// The box of all particles, and the range of the column that gives the colours.
void PictureMaker::survey(const std::vector<std::string>& frames) {
    double lo = Box3::huge, hi = -Box3::huge;
    for (const std::string& file : frames) {
        const Frame frame = read_frame(file);
        const std::vector<Vec3f> x = frame.positions();
        const float margin =
            frame.find("pscale") && frame.count > 0 ? frame.floats("pscale")[0] : 0;
        for (const Vec3f& p : x) {
            box_.add(Vec3d(p) - splat(static_cast<double>(margin)));
            box_.add(Vec3d(p) + splat(static_cast<double>(margin)));
        }
        if (options_.color_by.empty() || options_.range) continue;
        for (const float value : values_of(frame, options_.color_by))
            if (std::isfinite(value))
                lo = std::min(lo, double(value)), hi = std::max(hi, double(value));
    }
    if (box_.empty()) box_ = {{-0.5, 0, -0.5}, {0.5, 1, 0.5}};
    if (options_.color_by.empty()) return;
    if (options_.range) std::tie(lo, hi) = *options_.range;
    if (!(hi > lo)) lo = std::min(lo, 0.0), hi = std::max(lo + 1e-6, hi);
    legend_ = render::Legend{options_.color_by, lo, hi};
}

// Colliders become meshes; a level plane becomes the ground.
void PictureMaker::add_colliders() {
    double lowest = box_.lo.y;
    std::optional<Vec3f> floor;
    if (scene_) {
        colliders_ = collider_meshes(*scene_, box_.grown(0.75 * length(box_.size())));
        const std::vector<Collider> all = build_colliders(*scene_);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const ColliderSpec& spec = scene_->colliders[i];
            if (!spec.visible || !is_ground(spec, all[i], box_.center())) continue;
            lowest = box_.center().y - all[i].shape.distance(box_.center());
            if (!(spec.color == ColliderSpec{}.color)) floor = linear_color(spec.color);
        }
    }
    if (scene_ && !scene_->picture.ground) return;
    ground_ = render::Ground{lowest, 9 * length(box_.size()), box_.center(), floor};
}

void PictureMaker::place_camera() {
    camera_ = render::frame_box(box_, look_);
    if (scene_) {
        const CameraSpec& spec = scene_->camera;
        if (spec.position)
            camera_.position = *spec.position, camera_.field_of_view = spec.field_of_view;
        if (spec.target) camera_.target = *spec.target;
        camera_.up = spec.up;
    }
    if (options_.camera_position) camera_.position = *options_.camera_position;
    if (options_.camera_target) camera_.target = *options_.camera_target;
    if (length(camera_.target - camera_.position) < 1e-9)
        throw InputError({"--camera-position"}, "the camera stands on its target");
}

render::Scene PictureMaker::scene_of(const std::string& frame_file) const {
    const Frame frame = read_frame(frame_file);
    render::Scene out;
    out.look = look_;
    out.camera = camera_;
    out.ground = ground_;
    out.legend = legend_;
    if (options_.points)
        add_points(frame, out);
    else
        add_surface(frame_file, frame, out);
    add_moved_colliders(frame, out);
    return out;
}

namespace {

std::vector<Vec3f> mapped(const std::vector<float>& values, const render::Legend& legend) {
    std::vector<Vec3f> colors;
    colors.reserve(values.size());
    for (const float value : values)
        colors.push_back(
            render::map_color((static_cast<double>(value) - legend.lo) / (legend.hi - legend.lo)));
    return colors;
}

}  // namespace

void PictureMaker::add_surface(const std::string& frame_file, const Frame& frame,
                               render::Scene& out) const {
    const std::string file =
        frame_path(options_.folder + "/surface", "surface", frame_number(frame_file), "ply");
    SurfaceMesh mesh = read_surface(file);
    if (mesh.faces.empty()) return;
    render::Mesh shown;
    if (legend_) {
        shown.colors = mapped(
            average_at(frame, values_of(frame, options_.color_by), mesh.positions), *legend_);
    } else {
        color_by_body(mesh, colors_);
        shown.colors = std::move(mesh.colors);
    }
    shown.positions = std::move(mesh.positions);
    shown.normals = std::move(mesh.normals);
    shown.faces = std::move(mesh.faces);
    out.meshes.push_back(std::move(shown));
}

void PictureMaker::add_points(const Frame& frame, render::Scene& out) const {
    if (frame.count == 0) return;
    render::Spheres spheres;
    spheres.centers = frame.positions();
    spheres.radii = frame.floats("pscale");
    spheres.gloss = 0.5f;
    if (legend_) {
        spheres.colors = mapped(values_of(frame, options_.color_by), *legend_);
    } else {
        for (const std::int32_t body : frame.integers("body"))
            spheres.colors.push_back(color_of(colors_, body));
    }
    out.spheres.push_back(std::move(spheres));
}

void PictureMaker::add_moved_colliders(const Frame& frame, render::Scene& out) const {
    for (const ColliderMesh& collider : colliders_) {
        SurfaceMesh moved = mesh_at(collider, frame);
        if (moved.faces.empty()) continue;
        render::Mesh mesh;
        mesh.positions = std::move(moved.positions);
        mesh.normals = std::move(moved.normals);
        mesh.faces = std::move(moved.faces);
        mesh.colors = std::move(moved.colors);
        mesh.gloss = 0.5f;
        out.meshes.push_back(std::move(mesh));
    }
}

}  // namespace knead::cli
