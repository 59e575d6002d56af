// knead export: the frames of a run in the formats of other programs.
#include <fmt/format.h>

#include <memory>

#include "command.h"
#include "knead/base/error.h"
#include "knead/io/frame.h"
#include "knead/parallel/exec.h"
#include "knead/picture/run_export.h"
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
    bool missing = false;
    int threads = 0;
};

const char* name_of(ExportWhat what) {
    switch (what) {
        case ExportWhat::points:
            return "particles";
        case ExportWhat::surface:
            return "volumes, which have a surface";
        case ExportWhat::thin:
            return "sheets or curves";
        default:
            return "visible colliders but the ground";
    }
}

int export_frames(const Options& o) {
    const ExportFormat& format = export_format(o.format);
    if (o.threads < 0) throw InputError({"--threads"}, "must not be negative");
    set_thread_count(o.threads);
    const FrameRanges ranges = parse_frames(o.frames);
    const RunView run(o.folder);
    const auto frames = select_frames(run.frames(), ranges);
    const ExportWhat what = o.what == "points"    ? ExportWhat::points
                            : o.what == "surface" ? ExportWhat::surface
                            : o.what == "thin"    ? ExportWhat::thin
                                                  : ExportWhat::colliders;
    if (what == ExportWhat::surface && !format.write_surface) warn_of_old_surfaces(run, frames);
    RunExport out(run, format, what, o.out.empty() ? o.folder + "/export/" + format.name : o.out);
    if (out.is_series()) {
        if (o.missing)
            throw InputError({"--missing"}, "this format keeps all frames in one file",
                             "leave it out");
        for (const std::string& path : out.write_series(frames)) say(path + "\n");
        return 0;
    }
    for (const std::string& file : frames) {
        if (o.missing && is_up_to_date(out.file_of(file), {file, run.surface_file(file)})) {
            out.keep(file);
            continue;
        }
        const RunExport::Written written = out.write(file);
        say(written.path + "\n");
        if (written.empty)
            complain(fmt::format("warning: {} is empty: frame {} has no {}\n", written.path,
                                 frame_number(file), name_of(what)));
    }
    if (const auto index = out.write_index()) say(*index + "  (lists all of them)\n");
    return 0;
}

}  // namespace

Command command_export() {
    auto o = std::make_shared<Options>();
    return {"export", "write the frames of a run for Blender, Houdini or ParaView",
            "knead export out/demo --format vdb\n"
            "knead export out/demo --format gltf --what surface --frames 60\n"
            "knead export out/demo --format gltf --what colliders\n"
            "knead export out/curtain --format pc2 --what thin\n"
            "knead export out/demo --format vtk --frames 0-100x10 --out /tmp/paraview",
            [o](Arguments& a) {
                a.positional("DIR", o->folder, "folder of a run");
                a.choice("--format", export_format_names(), o->format, "format to write");
                a.choice("--what", {"points", "surface", "colliders", "thin"}, o->what,
                         "particles, their surface, what they meet, or sheets and curves");
                a.option("--frames", frames_value, o->frames, frames_help);
                a.option("--out", "DIR", o->out, "folder to write to; default: DIR/export/FORMAT");
                a.flag("--missing", o->missing, "skip files newer than their frame and surface");
                a.option("--threads", "N", o->threads, "threads to use; 0: all");
            },
            [o] { return export_frames(*o); }};
}

}  // namespace knead::cli
