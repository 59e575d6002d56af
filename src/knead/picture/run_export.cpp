#include "knead/picture/run_export.h"

#include <filesystem>

#include "knead/base/error.h"
#include "knead/io/atomic_file.h"
#include "knead/io/frame_reader.h"
#include "knead/io/ply.h"
#include "knead/picture/colors.h"
#include "knead/surface/skin.h"

namespace knead {

namespace {

const char* stem_of(ExportWhat what) {
    switch (what) {
        case ExportWhat::points:
            return "points";
        case ExportWhat::surface:
            return "surface";
        case ExportWhat::thin:
            return "thin";
        default:
            return "colliders";
    }
}

void append(const SurfaceMesh& one, SurfaceMesh& all) {
    const auto first = static_cast<std::int32_t>(all.positions.size());
    const auto add = [](const auto& from, auto& to) {
        to.insert(to.end(), from.begin(), from.end());
    };
    add(one.positions, all.positions), add(one.normals, all.normals);
    add(one.body, all.body), add(one.colors, all.colors);
    for (const auto& f : one.faces) all.faces.push_back({f.x + first, f.y + first, f.z + first});
}

// All colliders of a frame in one mesh.
SurfaceMesh colliders_of(const RunView& run, const Frame& frame) {
    SurfaceMesh all;
    all.frame = frame.frame;
    all.time = frame.time;
    for (const ColliderMesh& mesh : run.colliders()) append(mesh_at(mesh, frame), all);
    return all;
}

std::string formats_with_meshes() {
    std::string names;
    for (const ExportFormat& format : export_formats())
        if (format.write_mesh) names += (names.empty() ? "" : ", ") + format.name;
    return names;
}

}  // namespace

RunExport::RunExport(const RunView& run, const ExportFormat& format, ExportWhat what,
                     std::string out)
    : run_(run), format_(format), what_(what), out_(std::move(out)), stem_(stem_of(what)) {
    if (what == ExportWhat::thin && !format.write_thin && !format.write_thin_series)
        throw InputError({"--format"}, "this format holds no sheets and curves",
                         "one of ply, gltf, vtk, pc2");
    if (what != ExportWhat::thin && format.write_thin_series)
        throw InputError({"--what"}, "this format holds sheets and curves only", "add --what thin");
    const bool meshes =
        what == ExportWhat::colliders || (what == ExportWhat::surface && !format.write_surface);
    if (meshes && !format.write_mesh)
        throw InputError({"--format"}, stem_ + " are exported as meshes",
                         "one of " + formats_with_meshes());
    if (what == ExportWhat::colliders && !run.scene())
        throw InputError({run.folder().path()},
                         "there is no scene.toml here that says what collides");
    make_folder(out_);
}

std::string RunExport::file_of(const std::string& frame_file) const {
    return frame_path(out_, stem_, frame_number(frame_file), format_.extension);
}

RunExport::Written RunExport::write(const std::string& frame_file) {
    const std::string path = file_of(frame_file);
    const Content content = write_to(path, frame_file);
    series_.emplace_back(content.time, std::filesystem::path(path).filename().string());
    return {path, content.empty};
}

void RunExport::keep(const std::string& frame_file) {
    if (format_.write_index)
        series_.emplace_back(read_frame(frame_file).time,
                             std::filesystem::path(file_of(frame_file)).filename().string());
}

RunExport::Content RunExport::write_to(const std::string& path,
                                       const std::string& frame_file) const {
    if (what_ == ExportWhat::surface && !format_.write_surface) {
        const SurfaceMesh mesh = surface_of(frame_file);
        format_.write_mesh(path, mesh, run_.colors());
        return {mesh.time, mesh.faces.empty()};
    }
    const Frame frame = read_frame(frame_file);
    if (what_ == ExportWhat::thin) {
        const Frame thin = thin_of(frame);
        format_.write_thin(path, thin, body_names(), run_.colors());
        return {frame.time, !thin.has_elements()};
    }
    if (what_ == ExportWhat::colliders) {
        const SurfaceMesh mesh = colliders_of(run_, frame);
        format_.write_mesh(path, mesh, {});
        return {frame.time, mesh.faces.empty()};
    }
    if (what_ == ExportWhat::points)
        format_.write_points(path, frame, run_.colors());
    else
        format_.write_surface(path, frame);
    return {frame.time, frame.count == 0};
}

bool RunExport::is_series() const {
    return what_ == ExportWhat::thin && static_cast<bool>(format_.write_thin_series);
}

std::vector<std::string> RunExport::write_series(
    const std::vector<std::string>& frame_files) const {
    return format_.write_thin_series(out_, frame_files, body_names());
}

std::vector<std::string> RunExport::body_names() const {
    std::vector<std::string> names;
    if (run_.scene())
        for (const BodySpec& body : run_.scene()->bodies) names.push_back(body.name);
    return names;
}

// The mesh that knead surface left, or a fresh one.
SurfaceMesh RunExport::surface_of(const std::string& frame_file) const {
    const std::string file = run_.surface_file(frame_file);
    SurfaceMesh mesh = std::filesystem::exists(file)
                           ? read_surface(file)
                           : skin_frame(read_frame(frame_file), SkinSettings{});
    color_by_body(mesh, run_.colors());
    mesh.labels = run_.labels();
    return mesh;
}

std::optional<std::string> RunExport::write_index() const {
    if (!format_.write_index) return {};
    const std::string path = out_ + "/" + stem_ + "." + format_.index_extension;
    format_.write_index(path, series_);
    return path;
}

}  // namespace knead
