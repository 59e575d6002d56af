// knead surface: the particles of a run to closed meshes.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "command.h"
#include "knead/base/error.h"
#include "knead/io/atomic_file.h"
#include "knead/io/frame_reader.h"
#include "knead/io/ply.h"
#include "knead/parallel/exec.h"
#include "knead/picture/colors.h"
#include "knead/picture/run_surfaces.h"
#include "knead/picture/run_view.h"
#include "progress.h"
#include "run_frames.h"
#include "standard_streams.h"

namespace knead::cli {

namespace {

struct Options {
    std::string folder;
    std::string frames = "all";
    double voxel = 0;
    int smooth = SkinSettings{}.smooth;
    double adaptivity = 0;
    bool together = false;
    std::vector<std::string> columns;
    std::string space = "world";
    std::string carry = "no";
    int threads = 0;
    bool quiet = false;
};

void check(const Options& o) {
    std::vector<Mistake> mistakes;
    require(o.voxel >= 0, "--voxel", "must not be negative", mistakes);
    require(o.smooth >= 0 && o.smooth <= 1000, "--smooth", "must be between 0 and 1000", mistakes);
    require(o.adaptivity >= 0 && o.adaptivity <= 1, "--adaptivity", "must be between 0 and 1",
            mistakes);
    require(o.threads >= 0, "--threads", "must not be negative", mistakes);
    require(o.space == "world" || o.space == "embedded", "--space", "must be world or embedded",
            mistakes);
    require(o.carry == "no" || o.carry == "displacements" || o.carry == "embedded", "--carry",
            "must be no, displacements or embedded", mistakes);
    require(o.carry == "no" || o.space == "world", "--carry", "needs --space world", mistakes);
    if (!mistakes.empty()) throw InputError(mistakes);
}

int make_surfaces(const Options& o) {
    check(o);
    set_thread_count(o.threads);
    const FrameRange range = parse_range(o.frames);
    const RunView run(o.folder);
    const auto files = select_frames(run.frames(), range);
    const std::string out = o.folder + "/surface";
    make_folder(out);
    SkinSettings settings;
    settings.voxel = o.voxel;
    settings.smooth = o.smooth;
    settings.adaptivity = o.adaptivity;
    settings.together = o.together;
    settings.columns = o.columns;
    const CarryMesh carry = o.carry == "no"              ? CarryMesh::no
                            : o.carry == "displacements" ? CarryMesh::displacements
                                                         : CarryMesh::embedded;
    RunSurfaces surfaces(settings, o.space == "embedded", carry);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto start = std::chrono::steady_clock::now();
        const Frame frame = read_frame(files[i]);
        SurfaceMesh mesh = in_file(files[i], [&] { return surfaces.next(frame); });
        color_by_body(mesh, run.colors());
        mesh.labels = run.labels();
        write_ply(run.surface_file(files[i]), mesh);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        if (!o.quiet) {
            say(fmt::format("surface {} of {}: frame {}, {} particles, {} triangles, {}\n", i + 1,
                            files.size(), frame_number(files[i]), count_text(frame.count),
                            count_text(mesh.faces.size()), duration(took.count())));
        }
    }
    say(fmt::format("{} surfaces in {}\n", files.size(), out));
    return 0;
}

}  // namespace

Command command_surface() {
    auto o = std::make_shared<Options>();
    return {"surface", "turn the particles of a run into closed meshes",
            "knead surface out/demo\n"
            "knead surface out/demo --frames 0:100:5 --smooth 30 --column hardening",
            [o](Arguments& a) {
                a.positional("DIR", o->folder, "folder of a run");
                a.option("--frames", "A:B:STEP", o->frames, "frames to take");
                a.option("--voxel", "M", o->voxel, "edge of a voxel in metres; 0: half a spacing");
                a.option("--smooth", "N", o->smooth, "passes of smoothing");
                a.option("--adaptivity", "0..1", o->adaptivity, "larger triangles on flat parts");
                a.option("--column", "NAME", o->columns,
                         "particle column to carry to the vertices, besides the velocity");
                a.flag("--together", o->together, "one surface over all bodies, not one each");
                a.option("--space", "world|embedded", o->space,
                         "where particles are skinned; embedded: the embedded method's own space");
                a.option("--carry", "no|displacements|embedded", o->carry,
                         "skin the first frame only and let the particles carry that mesh along");
                a.option("--threads", "N", o->threads, "threads to use; 0: all");
                a.flag("--quiet", o->quiet, "no line for each frame");
            },
            [o] { return make_surfaces(*o); }};
}

}  // namespace knead::cli
