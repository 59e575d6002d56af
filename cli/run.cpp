// knead run: a scene to a folder of frames. Ctrl-C stops it cleanly; --resume goes on.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>

#include "command.h"
#include "knead/base/error.h"
#include "knead/base/input_file.h"
#include "knead/base/machine.h"
#include "knead/cuda/gpu.h"
#include "knead/parallel/exec.h"
#include "knead/scene/build_model.h"
#include "knead/scene/run_session.h"
#include "knead/scene/scene_meshes.h"
#include "knead/sim/check_state.h"
#include "knead/sim/make_solver.h"
#include "knead/sim/run.h"
#include "progress.h"
#include "standard_streams.h"

namespace fs = std::filesystem;

namespace knead::cli {

namespace {

struct Options {
    std::string scene;
    std::string out;
    std::optional<int> frames;
    std::string backend = "cpu";
    int threads = 0;
    std::vector<std::string> settings;
    bool resume = false;
    bool steer = false;
    bool overwrite = false;
    bool quiet = false;
    bool json = false;
};

std::atomic<bool> stop_wanted = false;

// The first signal asks for a clean stop; a second one ends the program at once. A terminal that
// closes may say so twice, and batch systems warn before they kill: those only ask.
void listen_for_signals() {
    struct sigaction action {};
    action.sa_handler = [](int) { stop_wanted = true; };
    sigaction(SIGXCPU, &action, nullptr);
    struct sigaction hangup {};
    sigaction(SIGHUP, nullptr, &hangup);
    if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

void check(const Options& o) {
    std::vector<Mistake> mistakes;
    if (o.frames && *o.frames < 0) mistakes.push_back({{"--frames"}, "must not be negative", ""});
    if (o.threads < 0) mistakes.push_back({{"--threads"}, "must not be negative", ""});
    if (o.resume && o.overwrite)
        mistakes.push_back({{}, "--resume and --overwrite cannot go together", "choose one"});
    if (o.steer && (!o.resume || o.settings.empty()))
        mistakes.push_back({{"--steer"}, "changes a run that goes on", "add --resume and --set"});
    for (const std::string& setting : o.settings)
        if (o.steer && !may_steer(setting))
            mistakes.push_back({{"--set " + setting},
                                "cannot change while a run goes on",
                                "materials, gravity, friction of colliders, time.max_dt and "
                                "time.frames can"});
    if (o.quiet && o.json)
        mistakes.push_back({{}, "--quiet and --json cannot go together", "choose one"});
    if (is_folder(o.scene) && !o.resume)
        mistakes.push_back({{o.scene},
                            "this is a folder, not a scene",
                            "to go on with the run in it, add --resume"});
    if (!mistakes.empty()) throw InputError(mistakes);
}

std::string folder_of(const Options& o) {
    if (!o.out.empty()) return o.out;
    if (is_folder(o.scene)) return fs::path(o.scene).lexically_normal().string();
    return "out/" + fs::path(o.scene).stem().string();
}

Scene scene_of(const Options& o) {
    std::vector<std::string> settings = o.settings;
    if (o.frames) settings.push_back("time.frames=" + std::to_string(*o.frames));
    const bool folder = is_folder(o.scene);
    Reading reading =
        try_read_scene_and_meshes(folder ? RunFolder(o.scene).scene() : o.scene, settings);
    if (!reading.mistakes.empty()) throw InputError(std::move(reading.mistakes));
    return std::move(reading.scene);
}

int conclude(const Options& o, const RunFolder& folder, const RunOutcome& outcome) {
    const bool talks = !o.quiet && !o.json;
    if (outcome.finished) {
        if (talks)
            say(fmt::format("done: frame {}, {:.4g} s in {} substeps, took {}; see {}\n",
                            outcome.frame, outcome.time, outcome.steps, duration(outcome.seconds),
                            folder.path()));
        return 0;
    }
    complain(
        fmt::format("stopped in frame {} at {:.6g} s; `knead run {} --resume` goes on from there\n",
                    outcome.frame + 1, outcome.time, folder.path()));
    return stopped_exit_code;
}

template <class Real>
int run_scene(const Options& o, const Scene& scene, RunSession& session) {
    Built<Real> built = build_model<Real>(scene);
    const Model& model = built.model;
    for (Mistake& m : disk_warnings(scene, built.cost, available_disk(session.folder().path())))
        built.warnings.push_back(std::move(m));
    if (!o.quiet)
        for (const Mistake& warning : built.warnings)
            complain(fmt::format("warning: {}\n", to_string(warning)));
    const auto solver =
        make_solver<Real>(model, o.backend == "cuda" ? Backend::cuda : Backend::cpu);
    if (stop_wanted) {
        complain("stopped before the first step; nothing was written\n");
        return stopped_exit_code;
    }

    const Show show = o.quiet                 ? Show::nothing
                      : o.json                ? Show::json
                      : isatty(STDOUT_FILENO) ? Show::bar
                                              : Show::lines;
    const std::string where = o.backend == "cuda"
                                  ? "cuda on " + describe_gpu().substr(0, describe_gpu().find(','))
                                  : o.backend;
    const std::string how = fmt::format("{}, {} threads, {} precision", where, thread_count(),
                                        sizeof(Real) == 4 ? "single" : "double");
    auto progress = make_progress(show, model, how, stop_wanted);
    const auto warn = [&](const std::string& text) { progress->trouble(text); };
    const auto possible = [&](const Checkpoint<Real>& c) { check_checkpoint(model, c, *solver); };
    auto checkpoint = session.begin<Real>(warn, possible);
    const RunFolder& folder = session.folder();
    RunOptions options{model.time.frames,
                       session.hash(),
                       o.backend,
                       &stop_wanted,
                       checkpoint ? read_changes(folder.report()) : std::vector<RunChange>{},
                       checkpoint && was_scripted(folder.report())};
    if (o.steer && checkpoint) {
        session.adopt(*checkpoint);
        options.changes.push_back({checkpoint->state.frame, o.settings});
    }
    const RunOutcome outcome =
        checkpoint ? resume(model, std::move(*checkpoint), *solver, folder, options, *progress)
                   : run(model, std::move(built.state), *solver, folder, options, *progress);
    progress.reset();
    return conclude(o, folder, outcome);
}

int run_command(const Options& o) {
    check(o);
    listen_for_signals();
    set_thread_count(o.threads);
    const Scene scene = scene_of(o);
    RunSession session({scene, o.scene, folder_of(o),
                        o.resume      ? Existing::resume
                        : o.overwrite ? Existing::overwrite
                                      : Existing::refuse,
                        o.steer});
    return scene.solver.precision == Precision::single ? run_scene<float>(o, scene, session)
                                                       : run_scene<double>(o, scene, session);
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
            "Ctrl-C finishes the substep, writes a checkpoint and ends with exit code 75; so do\n"
            "SIGTERM, SIGHUP, a limit on CPU time, and a reader of the output that leaves.",
            [o](Arguments& a) {
                a.positional("SCENE", o->scene,
                             "scene file; with --resume, the run's folder will do");
                a.option("-o,--out", "DIR", o->out,
                         "where the run goes; without it, out/ and the scene's name");
                a.option("--frames", "N", o->frames,
                         "the last frame, 0 the start alone; without it, as the scene says");
                a.choice("--backend", {"cpu", "cuda"}, o->backend, "where to compute");
                a.option("-j,--threads", "N", o->threads,
                         "threads to use; 0: all cores. The results do not depend on it");
                a.option("--set", "KEY=VALUE", o->settings,
                         "change a value of the scene, as in --set solver.dx=0.01");
                a.flag("--resume", o->resume,
                       "go on from the last checkpoint; starts where there is none");
                a.flag("--steer", o->steer,
                       "with --resume and --set: go on from the last whole frame with other "
                       "values; run.json lists them");
                a.flag("--overwrite", o->overwrite, "replace a run that is there already");
                a.flag("-q,--quiet", o->quiet, "print nothing but errors");
                a.flag("--json", o->json, "print one JSON object a frame");
            },
            [o] { return run_command(*o); }};
}

}  // namespace knead::cli
