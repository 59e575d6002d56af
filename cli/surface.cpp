// knead surface: the particles of a run to closed meshes.
#include <fmt/format.h>

#include <algorithm>
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
    bool missing = false;
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

SkinSettings skin_settings(const Options& o) {
    SkinSettings settings;
    settings.voxel = o.voxel;
    settings.smooth = o.smooth;
    settings.adaptivity = o.adaptivity;
    settings.together = o.together;
    settings.columns = o.columns;
    return settings;
}

CarryMesh carry_of(const Options& o) {
    return o.carry == "no"              ? CarryMesh::no
           : o.carry == "displacements" ? CarryMesh::displacements
                                        : CarryMesh::embedded;
}

// Frames to go through: those wanted, and before them what a carried mesh comes from, which is the
// run's first frame, whichever are wanted, and in embedded space all between.
std::vector<std::string> frames_on_the_way(const std::vector<std::string>& all,
                                           const std::vector<std::string>& wanted,
                                           CarryMesh carry) {
    if (carry == CarryMesh::no || wanted.empty()) return wanted;
    if (carry == CarryMesh::embedded)
        return {all.begin(), std::find(all.begin(), all.end(), wanted.back()) + 1};
    std::vector<std::string> frames{all.front()};
    frames.insert(frames.end(), wanted.begin() + (wanted.front() == all.front() ? 1 : 0),
                  wanted.end());
    return frames;
}

int make_surfaces(const Options& o) {
    check(o);
    set_thread_count(o.threads);
    const FrameRanges ranges = parse_frames(o.frames);
    const RunView run(o.folder);
    const auto chosen = select_frames(run.frames(), ranges);
    std::vector<std::string> wanted;
    for (const std::string& file : chosen)
        if (!o.missing || !is_up_to_date(run.surface_file(file), {file})) wanted.push_back(file);
    const std::string out = o.folder + "/surface";
    make_folder(out);
    RunSurfaces surfaces(skin_settings(o), o.space == "embedded", carry_of(o));
    std::size_t written = 0;
    for (const std::string& file : frames_on_the_way(run.frames(), wanted, carry_of(o))) {
        const auto start = std::chrono::steady_clock::now();
        const Frame frame = read_frame(file);
        SurfaceMesh mesh = in_file(file, [&] { return surfaces.next(frame); });
        if (!std::binary_search(wanted.begin(), wanted.end(), file)) continue;
        color_by_body(mesh, run.colors());
        mesh.labels = run.labels();
        write_ply(run.surface_file(file), mesh);
        ++written;
        if (mesh.faces.empty())
            complain(fmt::format("warning: the surface of frame {} is empty: {}\n",
                                 frame_number(file),
                                 frame.has_elements() ? "it holds sheets and curves only, which "
                                                        "`knead export --what thin` writes"
                                                      : "there is no matter in it"));
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        if (!o.quiet)
            say(fmt::format("surface {} of {}: frame {}, {} particles, {} triangles, {}\n", written,
                            wanted.size(), frame_number(file), count_text(frame.count),
                            count_text(mesh.faces.size()), duration(took.count())));
    }
    const std::size_t there = chosen.size() - wanted.size();
    say(fmt::format("{} surfaces in {}{}\n", written, out,
                    there > 0 ? fmt::format(", {} were there", there) : ""));
    return 0;
}

}  // namespace

Command command_surface() {
    auto o = std::make_shared<Options>();
    return {"surface", "turn the particles of a run into closed meshes",
            "knead surface out/demo\n"
            "knead surface out/demo --frames 0-100x5 --smooth 30 --column hardening",
            [o](Arguments& a) {
                a.positional("DIR", o->folder, "folder of a run");
                a.option("--frames", frames_value, o->frames, frames_help);
                a.option("--voxel", "M", o->voxel, "edge of a voxel in metres; 0: half a spacing");
                a.option("--smooth", "N", o->smooth, "passes of smoothing");
                a.option("--adaptivity", "0..1", o->adaptivity, "larger triangles on flat parts");
                a.option("--column", "NAME", o->columns,
                         "particle column to carry to the vertices, besides the velocity");
                a.flag("--together", o->together, "one surface over all bodies, not one each");
                a.option("--space", "world|embedded", o->space,
                         "where particles are skinned; embedded: the embedded method's own space");
                a.option("--carry", "no|displacements|embedded", o->carry,
                         "skin the run's first frame only and let the particles carry that mesh "
                         "along");
                a.flag("--missing", o->missing, "skip frames whose surface is newer than they are");
                a.option("--threads", "N", o->threads, "threads to use; 0: all");
                a.flag("--quiet", o->quiet, "no line for each frame");
            },
            [o] { return make_surfaces(*o); }};
}

}  // namespace knead::cli
