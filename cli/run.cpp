// knead run: a scene to a folder of frames. Ctrl-C stops it cleanly; --resume goes on.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>

#include "command.h"
#include "knead/base/error.h"
#include "knead/io/atomic_file.h"
#include "knead/parallel/exec.h"
#include "knead/scene/build_model.h"
#include "knead/scene/scene_meshes.h"
#include "knead/sim/hash.h"
#include "knead/sim/make_solver.h"
#include "knead/sim/run.h"
#include "progress.h"

namespace fs = std::filesystem;

namespace knead::cli {

namespace {

struct Options {
    std::string scene;
    std::string out;
    int frames = 0;
    std::string backend = "cpu";
    int threads = 0;
    std::vector<std::string> settings;
    bool resume = false;
    bool overwrite = false;
    bool quiet = false;
    bool json = false;
};

std::atomic<bool> stop_wanted = false;

// The first signal asks for a clean stop; a second one ends the program at once.
void listen_for_signals() {
    struct sigaction action {};
    action.sa_handler = [](int) { stop_wanted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    // A limit on file size becomes an error of the write, like a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
}

void check(const Options& o) {
    std::vector<Mistake> mistakes;
    if (o.frames < 0) mistakes.push_back({{"--frames"}, "must not be negative", ""});
    if (o.threads < 0) mistakes.push_back({{"--threads"}, "must not be negative", ""});
    if (o.resume && o.overwrite)
        mistakes.push_back({{}, "--resume and --overwrite cannot go together", "choose one"});
    if (o.quiet && o.json)
        mistakes.push_back({{}, "--quiet and --json cannot go together", "choose one"});
    if (fs::is_directory(o.scene) && !o.resume)
        mistakes.push_back({{o.scene},
                            "this is a folder, not a scene",
                            "to go on with the run in it, add --resume"});
    if (!mistakes.empty()) throw InputError(mistakes);
}

std::string folder_of(const Options& o) {
    if (!o.out.empty()) return o.out;
    if (fs::is_directory(o.scene)) return fs::path(o.scene).lexically_normal().string();
    return "out/" + fs::path(o.scene).stem().string();
}

Scene scene_of(const Options& o) {
    std::vector<std::string> settings = o.settings;
    if (o.frames > 0) settings.push_back("time.frames=" + std::to_string(o.frames));
    const bool folder = fs::is_directory(o.scene);
    Reading reading =
        try_read_scene_and_meshes(folder ? RunFolder(o.scene).scene() : o.scene, settings);
    if (!reading.mistakes.empty()) throw InputError(std::move(reading.mistakes));
    return std::move(reading.scene);
}

// What the simulation depends on. A run may be made longer, be looked at from elsewhere, or go on
// with other steps.
std::uint64_t model_hash(Scene scene) {
    scene.title.clear();
    scene.time.frames = 1;
    scene.time.max_dt = 0;
    scene.output = {};
    scene.camera = {};
    scene.picture = {};
    return hash_of(write_scene(scene)) ^ hash_of_meshes(scene);
}

void refuse_to_overwrite(const RunFolder& folder) {
    throw InputError({folder.path()}, "there is a run in this folder already",
                     "add --resume to go on with it, --overwrite to replace it, or choose another "
                     "folder with --out");
}

// A folder that was started with another scene is not continued with this one.
void check_same_scene(const RunFolder& folder, std::uint64_t hash) {
    if (!fs::exists(folder.scene())) return;
    if (model_hash(read_scene(folder.scene())) == hash) return;
    throw InputError({folder.path()},
                     "the run in this folder was started with another scene, or other --set",
                     fmt::format("`knead run {} --resume` goes on with it as it was; --overwrite "
                                 "starts again",
                                 folder.path()));
}

int conclude(const Options& o, const RunFolder& folder, const RunOutcome& outcome) {
    const bool talks = !o.quiet && !o.json;
    if (outcome.finished) {
        if (talks)
            fmt::print("done: frame {}, {:.4g} s in {} substeps, took {}; see {}\n", outcome.frame,
                       outcome.time, outcome.steps, duration(outcome.seconds), folder.path());
        return 0;
    }
    fmt::print(stderr,
               "stopped in frame {} at {:.6g} s; `knead run {} --resume` goes on from there\n",
               outcome.frame + 1, outcome.time, folder.path());
    return 1;
}

template <class Real>
int run_scene(const Options& o, const Scene& scene, const RunFolder& folder, std::uint64_t hash) {
    Built<Real> built = build_model<Real>(scene);
    const Model& model = built.model;
    if (!o.quiet)
        for (const Mistake& warning : built.warnings)
            fmt::print(stderr, "warning: {}\n", to_string(warning));
    const auto solver =
        make_solver<Real>(model, o.backend == "cuda" ? Backend::cuda : Backend::cpu);

    folder.create();
    const RunLock lock(folder);
    const Show show = o.quiet                 ? Show::nothing
                      : o.json                ? Show::json
                      : isatty(STDOUT_FILENO) ? Show::bar
                                              : Show::lines;
    const std::string how = fmt::format("{}, {} threads, {} precision", o.backend, thread_count(),
                                        sizeof(Real) == 4 ? "single" : "double");
    auto progress = make_progress(show, model, how);
    const auto warn = [&](const std::string& text) { progress->trouble(text); };
    auto checkpoint = o.resume ? folder.load<Real>(hash, warn) : std::nullopt;
    if (!checkpoint) folder.clear();
    AtomicFile saved(folder.scene());
    saved.write(write_scene(scene));
    saved.commit();

    listen_for_signals();
    const RunOptions options{model.time.frames, hash, o.backend, &stop_wanted};
    const RunOutcome outcome =
        checkpoint ? resume(model, std::move(*checkpoint), *solver, folder, options, *progress)
                   : run(model, std::move(built.state), *solver, folder, options, *progress);
    progress.reset();
    return conclude(o, folder, outcome);
}

int run_command(const Options& o) {
    check(o);
    set_thread_count(o.threads);
    const RunFolder folder(folder_of(o));
    const Scene scene = scene_of(o);
    const std::uint64_t hash = model_hash(scene);
    if (folder.holds_a_run() && !o.resume && !o.overwrite) refuse_to_overwrite(folder);
    if (o.resume) check_same_scene(folder, hash);
    return scene.solver.precision == Precision::single ? run_scene<float>(o, scene, folder, hash)
                                                       : run_scene<double>(o, scene, folder, hash);
}

}  // namespace

Command command_run() {
    auto o = std::make_shared<Options>();
    return {"run", "simulate a scene and write its frames",
            "knead run scenes/demo/kneading.toml\n"
            "knead run scene.toml --out out/fine --set solver.dx=0.01\n"
            "knead run out/fine --resume              go on after Ctrl-C or a crash\n"
            "knead run out/fine --resume --frames 240 make it longer\n"
            "knead run out/fine --resume --set time.max_dt=1e-5   shorter steps from here on\n\n"
            "Ctrl-C finishes the substep, writes a checkpoint and ends with exit code 1.",
            [o](Arguments& a) {
                a.positional("SCENE", o->scene,
                             "scene file; with --resume, the run's folder will do");
                a.option("-o,--out", "DIR", o->out,
                         "where the run goes; without it, out/ and the scene's name");
                a.option("--frames", "N", o->frames, "the last frame; 0: as the scene says");
                a.choice("--backend", {"cpu", "cuda"}, o->backend, "where to compute");
                a.option("-j,--threads", "N", o->threads,
                         "threads to use; 0: all cores. The results do not depend on it");
                a.option("--set", "KEY=VALUE", o->settings,
                         "change a value of the scene, as in --set solver.dx=0.01");
                a.flag("--resume", o->resume,
                       "go on from the last checkpoint; starts where there is none");
                a.flag("--overwrite", o->overwrite, "replace a run that is there already");
                a.flag("-q,--quiet", o->quiet, "print nothing but errors");
                a.flag("--json", o->json, "print one JSON object a frame");
            },
            [o] { return run_command(*o); }};
}

}  // namespace knead::cli
