// knead render: the frames of a run to pictures and a movie.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "command.h"
#include "knead/base/error.h"
#include "knead/base/safe_text.h"
#include "knead/io/atomic_file.h"
#include "knead/io/image.h"
#include "knead/parallel/exec.h"
#include "knead/picture/movie.h"
#include "knead/picture/picture_scene.h"
#include "knead/render/render_frame.h"
#include "progress.h"
#include "run_frames.h"
#include "standard_streams.h"

namespace knead::cli {

namespace {

struct Options {
    std::string folder;
    std::string frames = "all";
    std::string mode = "auto";
    std::string color_by;
    std::string range;
    int width = 0, height = 0, samples = 0;
    std::string camera_position, camera_target;
    std::vector<std::string> settings;
    bool movie = true;
    bool missing = false;
    int threads = 0;
};

void check(const Options& o) {
    std::vector<Mistake> mistakes;
    const auto side = [](int n) { return n == 0 || (n >= 8 && n <= 16384); };
    require(side(o.width), "--width", "must be between 8 and 16384 pixels", mistakes);
    require(side(o.height), "--height", "must be between 8 and 16384 pixels", mistakes);
    require(o.samples >= 0 && o.samples <= 65536, "--samples", "must be between 1 and 65536",
            mistakes);
    require(o.threads >= 0, "--threads", "must not be negative", mistakes);
    require(o.range.empty() || !o.color_by.empty(), "--range", "has no meaning without --color-by",
            mistakes);
    if (!mistakes.empty()) throw InputError(mistakes);
}

render::Look wanted_look(const Options& o, const RunView& run) {
    render::Look look = look_of(run);
    if (o.width > 0) look.width = o.width;
    if (o.height > 0) look.height = o.height;
    if (o.samples > 0) look.samples = o.samples;
    return look;
}

// Whether every frame has its surface.
bool have_surfaces(const RunView& run, const std::vector<std::string>& frames) {
    return std::all_of(frames.begin(), frames.end(), [&](const std::string& frame) {
        return std::filesystem::exists(run.surface_file(frame));
    });
}

// Whether there is anything that could have a surface.
bool has_volumes(const RunView& run) {
    if (!run.scene()) return true;
    const auto& bodies = run.scene()->bodies;
    return std::any_of(bodies.begin(), bodies.end(), [](const BodySpec& b) { return !b.thin; });
}

PictureOptions picture_options(const Options& o, const RunView& run,
                               const std::vector<std::string>& frames) {
    PictureOptions p;
    const bool surfaces = have_surfaces(run, frames);
    if (o.mode == "surface" && !surfaces)
        throw InputError({o.folder + "/surface"}, "some of these frames have no surface",
                         "run: knead surface " + o.folder);
    if (o.mode == "surface") p.mode = DrawMode::surface;
    if (o.mode == "points" || !surfaces) p.mode = DrawMode::points;
    if (o.mode == "auto" && !surfaces && has_volumes(run))
        say("particles are drawn, since not all of these frames have a surface; knead surface " +
            safe_text(o.folder) + " makes them\n");
    if (p.mode != DrawMode::points) warn_of_old_surfaces(run, frames);
    p.color_by = o.color_by;
    if (!o.camera_position.empty())
        p.camera_position = parse_vector("--camera-position", o.camera_position);
    if (!o.camera_target.empty())
        p.camera_target = parse_vector("--camera-target", o.camera_target);
    if (!o.range.empty()) p.range = parse_pair("--range", o.range);
    return p;
}

int render_frames(const Options& o) {
    check(o);
    set_thread_count(o.threads);
    const FrameRanges ranges = parse_frames(o.frames);
    const RunView run(o.folder, o.settings);
    const auto frames = select_frames(run.frames(), ranges);
    const PictureMaker maker(run, picture_options(o, run, frames), wanted_look(o, run));
    const std::string out = o.folder + "/pictures";
    make_folder(out);

    std::vector<std::string> pictures;
    const auto start = std::chrono::steady_clock::now();
    std::size_t made = 0;
    for (const std::string& file : frames) {
        pictures.push_back(frame_path(out, "picture", frame_number(file), "png"));
        if (o.missing && is_up_to_date(pictures.back(), {file, run.surface_file(file)})) continue;
        write_png(pictures.back(), render::render_frame(maker.scene_of(file)));
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        const double each = took.count() / static_cast<double>(++made);
        const double left = each * static_cast<double>(frames.size() - pictures.size());
        say(fmt::format("picture {} of {}: {}, {} left\n", pictures.size(), frames.size(),
                        pictures.back(), duration(left)));
    }
    if (o.missing)
        say(fmt::format("{} of {} pictures were there\n", frames.size() - made, frames.size()));
    if (!o.movie || pictures.size() < 2) return 0;
    const std::string movie = out + "/movie.mp4";
    if (write_movie(movie, pictures, run.frame_rate() / spacing_of_frames(frames)))
        say(fmt::format("movie: {}\n", movie));
    else
        say("no movie: ffmpeg is not installed (Debian package ffmpeg)\n");
    return 0;
}

}  // namespace

Command command_render() {
    auto o = std::make_shared<Options>();
    return {"render", "make pictures and a movie of a run",
            "knead render out/demo\n"
            "knead render out/demo --mode points --color-by speed --frames 0-100x10\n"
            "knead render out/demo --frames 60 --width 1920 --height 1080 --samples 64",
            [o](Arguments& a) {
                a.positional("DIR", o->folder, "folder of a run");
                a.option("--frames", frames_value, o->frames, frames_help);
                a.choice(
                    "--mode", {"auto", "surface", "points"}, o->mode,
                    "volumes; auto: as each body says, surfaces where knead surface has made them");
                a.option("--color-by", "COLUMN", o->color_by,
                         "colour by a column of the particles, or by speed");
                a.option("--range", "LO,HI", o->range,
                         "ends of the colour map; default: all values");
                a.option("--width", "N", o->width, "pixels; 0: as the scene says");
                a.option("--height", "N", o->height, "pixels; 0: as the scene says");
                a.option("--samples", "N", o->samples, "rays a pixel; 0: as the scene says");
                a.option("--camera-position", "X,Y,Z", o->camera_position, "where the camera is");
                a.option("--camera-target", "X,Y,Z", o->camera_target, "what it looks at");
                a.option("--set", "KEY=VALUE", o->settings,
                         "change how the scene looks, as in picture.samples=64");
                a.flag("--missing", o->missing, "skip pictures newer than their frame and surface");
                a.flag("--movie,!--no-movie", o->movie, "make pictures/movie.mp4 with ffmpeg");
                a.option("--threads", "N", o->threads, "threads to use; 0: all");
            },
            [o] { return render_frames(*o); }};
}

}  // namespace knead::cli
