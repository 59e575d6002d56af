// knead export: the frames of a run in the formats of other programs.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "collider_meshes.h"
#include "command.h"
#include "knead/base/error.h"
#include "knead/io/frame_reader.h"
#include "knead/io/frame_writer.h"
#include "knead/io/gltf.h"
#include "knead/io/ply.h"
#include "knead/io/vdb.h"
#include "knead/io/vtk.h"
#include "knead/parallel/exec.h"
#include "knead/sim/run_folder.h"
#include "knead/surface/skin.h"
#include "run_frames.h"
#include "standard_streams.h"

namespace knead::cli {

namespace {

struct Options {
    std::string folder;
    std::string format;
    std::string what = "points";
    std::string frames = "all";
    std::string out;
    int threads = 0;
};

std::string extension_of(const std::string& format) {
    return format == "gltf" ? "glb" : format == "vtk" ? "vtp" : format;
}

void export_points(const std::string& file, const std::string& to, const std::string& format,
                   const std::vector<Vec3f>& colors, double& time) {
    const Frame frame = read_frame(file);
    time = frame.time;
    if (format == "ply") write_frame(to, frame);
    if (format == "vdb") write_vdb_points(to, frame, colors);
    if (format == "gltf") write_glb(to, frame, colors);
    if (format == "vtk") write_vtp(to, frame, colors);
}

// The mesh that knead surface left, or a fresh one.
SurfaceMesh surface_of(const std::string& folder, const std::string& frame_file,
                       const std::vector<Vec3f>& colors) {
    const std::string file =
        frame_path(folder + "/surface", "surface", frame_number(frame_file), "ply");
    SurfaceMesh mesh =
        std::filesystem::exists(file) ? read_surface(file) : skin_frame(read_frame(frame_file), {});
    color_by_body(mesh, colors);
    return mesh;
}

void export_surface(const std::string& folder, const std::string& file, const std::string& to,
                    const std::string& format, const std::vector<Vec3f>& colors, double& time) {
    if (format == "vdb") {
        const Frame frame = read_frame(file);
        time = frame.time;
        return write_vdb_level_set(to, skin_level_set(frame, {}));
    }
    const SurfaceMesh mesh = surface_of(folder, file, colors);
    time = mesh.time;
    if (format == "ply") write_ply(to, mesh);
    if (format == "gltf") write_glb(to, mesh, colors);
    if (format == "vtk") write_vtp(to, mesh);
}

// All colliders of a frame in one mesh.
class ColliderExport {
public:
    ColliderExport(const Options& o, const std::vector<std::string>& files) {
        const std::optional<Scene> scene = scene_of_run(o.folder);
        if (o.format == "vdb")
            throw InputError({"--format"}, "colliders are exported as meshes",
                             "one of ply, gltf, vtk");
        if (!scene)
            throw InputError({o.folder}, "there is no scene.toml here that says what collides");
        Box3 box;
        for (const std::string& file : files)
            for (const Vec3f& x : read_frame(file).positions()) box.add(Vec3d(x));
        if (box.empty()) box = {{-0.5, 0, -0.5}, {0.5, 1, 0.5}};
        meshes_ = collider_meshes(*scene, box.grown(0.75 * length(box.size())));
    }
    void write(const std::string& file, const std::string& to, const std::string& format,
               double& time) const {
        const Frame frame = read_frame(file);
        time = frame.time;
        SurfaceMesh all;
        all.frame = frame.frame;
        all.time = frame.time;
        for (const ColliderMesh& mesh : meshes_) append(mesh_at(mesh, frame), all);
        if (format == "ply") write_ply(to, all);
        if (format == "gltf") write_glb(to, all, {});
        if (format == "vtk") write_vtp(to, all);
    }

private:
    static void append(const SurfaceMesh& one, SurfaceMesh& all) {
        const auto first = static_cast<std::int32_t>(all.positions.size());
        const auto add = [](const auto& from, auto& to) {
            to.insert(to.end(), from.begin(), from.end());
        };
        add(one.positions, all.positions), add(one.normals, all.normals);
        add(one.body, all.body), add(one.colors, all.colors);
        for (const auto& f : one.faces)
            all.faces.push_back({f.x + first, f.y + first, f.z + first});
    }
    std::vector<ColliderMesh> meshes_;
};

int export_frames(const Options& o) {
    if (o.format.empty())
        throw InputError({"--format"}, "which format?", "one of ply, vdb, gltf, vtk");
    if (o.threads < 0) throw InputError({"--threads"}, "must not be negative");
    set_thread_count(o.threads);
    const auto files = select_files(RunFolder(o.folder).frames(), "frame", parse_range(o.frames));
    const std::vector<Vec3f> colors = body_colors(scene_of_run(o.folder));
    const std::string out = o.out.empty() ? o.folder + "/export/" + o.format : o.out;
    std::optional<ColliderExport> colliders;
    if (o.what == "colliders") colliders.emplace(o, files);
    make_folder(out);
    std::vector<std::pair<double, std::string>> series;
    for (const std::string& file : files) {
        const std::string to = frame_path(out, o.what, frame_number(file), extension_of(o.format));
        double time = 0;
        if (o.what == "points")
            export_points(file, to, o.format, colors, time);
        else if (colliders)
            colliders->write(file, to, o.format, time);
        else
            export_surface(o.folder, file, to, o.format, colors, time);
        series.emplace_back(time, std::filesystem::path(to).filename().string());
        say(to + "\n");
    }
    if (o.format == "vtk") {
        const std::string index = out + "/" + o.what + ".pvd";
        write_pvd(index, series);
        say(index + "  (open this one in ParaView)\n");
    }
    return 0;
}

}  // namespace

Command command_export() {
    auto o = std::make_shared<Options>();
    return {"export", "write the frames of a run for Blender, Houdini or ParaView",
            "knead export out/demo --format vdb\n"
            "knead export out/demo --format gltf --what surface --frames 60\n"
            "knead export out/demo --format gltf --what colliders\n"
            "knead export out/demo --format vtk --frames 0:100:10 --out /tmp/paraview",
            [o](Arguments& a) {
                a.positional("DIR", o->folder, "folder of a run");
                a.choice("--format", {"ply", "vdb", "gltf", "vtk"}, o->format, "format to write");
                a.choice("--what", {"points", "surface", "colliders"}, o->what,
                         "particles, their surface, or what they meet");
                a.option("--frames", "A:B:STEP", o->frames, "frames to take");
                a.option("--out", "DIR", o->out, "folder to write to; default: DIR/export/FORMAT");
                a.option("--threads", "N", o->threads, "threads to use; 0: all");
            },
            [o] { return export_frames(*o); }};
}

}  // namespace knead::cli
