#include "knead/picture/picture_scene.h"

#include <algorithm>

#include "knead/base/error.h"
#include "knead/io/frame_reader.h"
#include "knead/io/ply.h"
#include "knead/picture/colors.h"
#include "knead/picture/thin_pictures.h"
#include "knead/render/color_map.h"
#include "knead/surface/skin.h"

namespace knead {

render::Look look_of(const RunView& run) {
    render::Look look;
    if (!run.scene()) return look;
    const PictureSpec& picture = run.scene()->picture;
    look.width = picture.width;
    look.height = picture.height;
    look.samples = picture.samples;
    look.background = linear_color(picture.background);
    return look;
}

PictureMaker::PictureMaker(const RunView& run, const PictureOptions& options,
                           const render::Look& look)
    : run_(run), options_(options), look_(look) {
    place_camera();
    place_ground();
    make_legend();
}

// The range of the column that gives the colours.
void PictureMaker::make_legend() {
    if (options_.color_by.empty()) return;
    ValueRange range;
    if (options_.range)
        range = {options_.range->first, options_.range->second};
    else
        range = run_.range(options_.color_by);
    if (!(range.hi > range.lo)) {
        range.lo = std::min(range.lo, 0.0);
        range.hi = std::max(range.lo + 1e-6, range.hi);
    }
    legend_ = render::Legend{options_.color_by, range.lo, range.hi};
}

// A level plane of the scene becomes the ground; without one it lies below all particles.
void PictureMaker::place_ground() {
    const Box3& box = run_.box();
    const std::optional<Scene>& scene = run_.scene();
    if (scene && !scene->picture.ground) return;
    GroundPlane ground{box.lo.y, {}};
    if (scene)
        if (const auto found = ground_of(*scene, box.center())) ground = *found;
    ground_ = render::Ground{ground.height, 9 * length(box.size()), box.center(), ground.color};
}

void PictureMaker::place_camera() {
    camera_ = render::frame_box(run_.box(), look_);
    if (const std::optional<Scene>& scene = run_.scene()) {
        const CameraSpec& spec = scene->camera;
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
    return in_file(frame_file, [&] {
        if (options_.points)
            add_points(frame, out);
        else
            add_surface(frame_file, frame, out);
        add_thin(frame, out);
        add_moved_colliders(frame, out);
        render::require_in_reach(out);
        return std::move(out);
    });
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
    SurfaceMesh mesh = read_surface(run_.surface_file(frame_file));
    if (mesh.faces.empty()) return;
    render::Mesh shown;
    if (legend_) {
        const Frame volumes = volumes_of(frame);
        const bool has = volumes.find(options_.color_by) || options_.color_by == "speed";
        const std::vector<float> values =
            has ? values_of(volumes, options_.color_by) : std::vector<float>(volumes.count);
        shown.colors = mapped(average_at(volumes, values, mesh.positions), *legend_);
    } else {
        color_by_body(mesh, run_.colors());
        shown.colors = std::move(mesh.colors);
    }
    shown.positions = std::move(mesh.positions);
    shown.normals = std::move(mesh.normals);
    shown.faces = std::move(mesh.faces);
    out.meshes.push_back(std::move(shown));
}

// By column or by body, one a row.
std::vector<Vec3f> PictureMaker::row_colors(const Frame& frame) const {
    if (legend_) return mapped(values_of(frame, options_.color_by), *legend_);
    std::vector<Vec3f> colors;
    for (const std::int32_t body : frame.integers("body"))
        colors.push_back(picture_color(run_.colors(), body));
    return colors;
}

void PictureMaker::add_points(const Frame& frame, render::Scene& out) const {
    if (frame.count == 0) return;
    const std::vector<Vec3f> colors = row_colors(frame), x = frame.positions();
    const std::vector<float> radii = frame.floats("pscale");
    const std::vector<char> joined = joined_rows(frame);
    render::Spheres spheres;
    spheres.gloss = 0.5f;
    for (std::size_t i = 0; i < frame.count; ++i)
        if (!joined[i]) {
            spheres.centers.push_back(x[i]);
            spheres.radii.push_back(radii[i]);
            spheres.colors.push_back(colors[i]);
        }
    if (!spheres.centers.empty()) out.spheres.push_back(std::move(spheres));
}

void PictureMaker::add_thin(const Frame& frame, render::Scene& out) const {
    if (!frame.has_elements()) return;
    const std::vector<Vec3f> colors = row_colors(frame);
    if (!frame.triangles.empty()) out.meshes.push_back(cloth_of(frame, colors));
    if (!frame.segments.empty()) out.tubes.push_back(tubes_of(frame, colors));
}

void PictureMaker::add_moved_colliders(const Frame& frame, render::Scene& out) const {
    for (const ColliderMesh& collider : run_.colliders()) {
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

}  // namespace knead
