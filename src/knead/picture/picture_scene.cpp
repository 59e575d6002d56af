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
    find_grains();
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

// Matter that runs like sand is grains; a body may say otherwise.
void PictureMaker::find_grains() {
    if (!run_.scene()) return;
    for (const BodySpec& body : run_.scene()->bodies) {
        bool grains = body.draw == Draw::points;
        if (body.draw == Draw::automatic)
            for (const Material& m : run_.scene()->materials)
                if (m.name == body.material) grains = m.flow.rule == FlowRule::drucker_prager;
        grains_.push_back(grains);
    }
}

bool PictureMaker::as_points(std::int32_t body) const {
    if (options_.mode != DrawMode::by_body) return options_.mode == DrawMode::points;
    const auto b = static_cast<std::size_t>(body);
    return b < grains_.size() && grains_[b];
}

// A level plane of the scene is the ground; where there is none, nothing is drawn.
void PictureMaker::place_ground() {
    const std::optional<Scene>& scene = run_.scene();
    if (!scene || !scene->picture.ground) return;
    const Box3 box = run_.box();
    if (const auto found = ground_of(*scene, box.center()))
        ground_ = render::Ground{found->height, 9 * length(box.size()), box.center(), found->color};
}

void PictureMaker::place_camera() {
    camera_ = render::frame_boxes(run_.boxes(), look_);
    bool chosen = options_.camera_position || options_.camera_target;
    if (const std::optional<Scene>& scene = run_.scene()) {
        const CameraSpec& spec = scene->camera;
        chosen = chosen || spec.position || spec.target;
        if (spec.position)
            camera_.position = *spec.position, camera_.field_of_view = spec.field_of_view;
        if (spec.target) {
            if (!spec.position) camera_.position += *spec.target - camera_.target;
            camera_.target = *spec.target;
        }
        camera_.up = spec.up;
    }
    if (options_.camera_position) camera_.position = *options_.camera_position;
    if (options_.camera_target) camera_.target = *options_.camera_target;
    if (chosen) render::require_in_reach(camera_);
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
        add_points(frame, out);
        if (options_.mode != DrawMode::points) add_surface(frame_file, frame, out);
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

// The column that gives the colours, at the vertices of a surface; zero where volumes lack it.
std::vector<float> PictureMaker::shown_values(const Frame& frame, const SurfaceMesh& mesh) const {
    Frame volumes = volumes_of(frame);
    if (!volumes.find(options_.color_by) && options_.color_by != "speed")
        return std::vector<float>(mesh.positions.size());
    std::vector<float> values = values_of(volumes, options_.color_by);
    volumes.columns.push_back({"shown", std::move(values)});
    SkinSettings settings;
    settings.columns = {"shown"};
    SurfaceMesh carrier;
    carrier.positions = mesh.positions;
    carrier.body = mesh.body;
    carry_columns(volumes, settings, carrier);
    return std::get<std::vector<float>>(carrier.columns.back().values);
}

void PictureMaker::add_surface(const std::string& frame_file, const Frame& frame,
                               render::Scene& out) const {
    SurfaceMesh mesh = read_surface(run_.surface_file(frame_file));
    std::erase_if(mesh.faces, [&](const auto& f) {
        return as_points(mesh.body[static_cast<std::size_t>(f.x)]);
    });
    if (mesh.faces.empty()) return;
    render::Mesh shown;
    if (legend_) {
        shown.colors = mapped(shown_values(frame, mesh), *legend_);
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
    const bool some = options_.mode == DrawMode::points ||
                      std::find(grains_.begin(), grains_.end(), 1) != grains_.end();
    if (frame.count == 0 || !some) return;
    const std::vector<Vec3f> colors = row_colors(frame), x = frame.positions();
    const std::vector<std::int32_t> body = frame.integers("body");
    const std::vector<float> radii = frame.floats("pscale");
    const std::vector<char> joined = joined_rows(frame);
    render::Spheres spheres;
    spheres.gloss = 0.5f;
    for (std::size_t i = 0; i < frame.count; ++i)
        if (!joined[i] && as_points(body[i])) {
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
