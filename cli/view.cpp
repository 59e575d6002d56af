// knead view: a run in the browser.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "command.h"
#include "knead/base/error.h"
#include "knead/base/input_file.h"
#include "knead/base/machine.h"
#include "knead/io/atomic_file.h"
#include "knead/view/export_page.h"
#include "knead/view/page.h"
#include "knead/view/server.h"
#include "standard_streams.h"
#include "steered_run.h"

namespace knead::cli {

namespace {

struct Options {
    std::string path;
    std::string out;
    std::vector<std::string> settings;
    std::optional<int> frames;
    int threads = 0;
    bool resume = false, overwrite = false;
    bool control = false;
    int port = 0;
    bool browser = true;
    std::string page;  // to export to
    view::PageSettings exported;
};

std::atomic<bool> end_wanted = false;

void listen_for_signals() {
    struct sigaction action {};
    action.sa_handler = [](int) { end_wanted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second one ends the program at once
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

bool is_scene(const Options& o) {
    return o.path.size() > 5 && o.path.compare(o.path.size() - 5, 5, ".toml") == 0 &&
           !is_folder(o.path);
}

void require_page() {
    if (!view::has_page())
        throw InputError({}, "this program was built without the page that shows runs",
                         view::why_no_page());
}

void check_export(const Options& o) {
    const auto refuse = [](const char* option, const char* what, const char* remedy) {
        throw InputError({option}, what, remedy);
    };
    if (!o.page.empty() && is_scene(o))
        refuse("--export", "takes the folder of a run", "run the scene first");
    if (o.page.empty() && !o.exported.column.empty())
        refuse("--color-by", "is for --export", "the page has a menu of columns");
    if (o.exported.frames < 1) refuse("--page-frames", "must be above 0", "");
    if (!(o.exported.megabytes > 0)) refuse("--page-size", "must be above 0", "");
}

void check(const Options& o) {
    if (o.port < 0 || o.port > 65535)
        throw InputError({"--port"}, "must be between 1 and 65535, or 0 for one that is free");
    require_page();
    if (!is_scene(o)) {
        for (const auto& [given, option] :
             {std::pair{!o.out.empty(), "--out"}, std::pair{!o.settings.empty(), "--set"},
              std::pair{o.control, "--control"}, std::pair{o.resume || o.overwrite, "--resume"}})
            if (given)
                throw InputError({option}, "has no meaning for a run in a folder",
                                 "it is for `knead view SCENE`, which runs the scene");
    }
    check_export(o);
    if (!is_scene(o) && !RunFolder(o.path).holds_a_run())
        throw InputError({o.path}, "no run in this folder", "`knead run SCENE` makes one");
}

// Where there is a screen. What the browser says goes nowhere.
void open_browser(const std::string& link) {
    if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
    const pid_t child = fork();
    if (child > 0) waitpid(child, nullptr, 0);
    if (child != 0 || fork() != 0) {
        if (child == 0) _exit(0);  // the browser is nobody's child
        return;
    }
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
    execlp("xdg-open", "xdg-open", link.c_str(), nullptr);
    _exit(1);
}

// Memory that a frame took serves the next one: asking the system for it anew costs as much as all
// else.
void keep_memory() {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

void serve(view::ViewServer& server) {
    keep_memory();
    std::atomic<bool> ended = false;
    std::thread waiting([&] {
        while (!end_wanted && !ended) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        server.stop();
    });
    server.serve();
    ended = true;
    waiting.join();
}

// Where the run of a scene goes, as `knead run` has it.
std::string folder_of(const Options& o) {
    if (!is_scene(o)) return o.path;
    return o.out.empty() ? "out/" + std::filesystem::path(o.path).stem().string() : o.out;
}

std::unique_ptr<SteeredRun> start_run(const Options& o) {
    std::vector<std::string> words{o.path, "--out", folder_of(o)};
    for (const std::string& setting : o.settings) {
        words.push_back("--set");
        words.push_back(setting);
    }
    if (o.frames) words.insert(words.end(), {"--frames", std::to_string(*o.frames)});
    if (o.threads > 0) words.insert(words.end(), {"--threads", std::to_string(o.threads)});
    if (o.resume) words.push_back("--resume");
    if (o.overwrite) words.push_back("--overwrite");
    auto run = std::make_unique<SteeredRun>(words, folder_of(o));
    if (run->wait_for_a_frame()) return run;
    for (const std::string& line : run->said()) complain(line + "\n");
    if (run->was_refused())
        throw InputError({o.path}, "the run did not start", "mend what stands above");
    throw RunError("the run did not start");
}

int export_run(const Options& o) {
    view::WatchedRun run(o.path);
    const view::ExportedPage page = export_page(run, o.exported);
    write_whole(o.page, page.html);
    const auto every = [](int n, const char* what) {
        return n == 1 ? fmt::format("all {}s", what) : fmt::format("one {} in {}", what, n);
    };
    say(fmt::format("{}: {} frames ({}), {}, {}; it plays in any browser\n", o.page, page.frames,
                    every(page.every, "frame"), every(page.particle, "particle"),
                    bytes_in_words(static_cast<double>(page.html.size()))));
    return 0;
}

int view_run(const Options& o) {
    check(o);
    if (!o.page.empty()) return export_run(o);
    listen_for_signals();
    const std::unique_ptr<SteeredRun> steered = is_scene(o) ? start_run(o) : nullptr;
    view::WatchedRun run(folder_of(o));
    view::ViewServer server(run, steered.get(), o.control, o.port);
    say(fmt::format("{}\nOpen the link in a browser on this machine; Ctrl-C ends{}.\n",
                    server.link(), steered ? " the server and stops the run" : ""));
    if (o.browser) open_browser(server.link());
    serve(server);
    return 0;
}

}  // namespace

Command command_view() {
    auto o = std::make_shared<Options>();
    return {"view", "look at a run in the browser, also while it goes on",
            "knead view out/demo\n"
            "knead view out/demo --port 8080 --no-browser\n"
            "knead view scene.toml            run the scene and watch\n"
            "knead view scene.toml --control  and pause, stop or change it from the page\n"
            "knead view out/demo --export demo.html  one file that plays without a server",
            [o](Arguments& a) {
                a.positional("DIR|SCENE", o->path, "folder of a run, or a scene to run");
                a.option("-o,--out", "DIR", o->out, "where the scene's run goes, as for run");
                a.option("--frames", "N", o->frames,
                         "the last frame; without it, as the scene says");
                a.option("-j,--threads", "N", o->threads, "threads of the run; 0: all cores");
                a.option("--set", "KEY=VALUE", o->settings, "change a value of the scene");
                a.flag("--resume", o->resume, "go on with the scene's run");
                a.flag("--overwrite", o->overwrite, "replace a run that is there already");
                a.flag("--control", o->control,
                       "let the page pause, stop and resume the run and change its values");
                a.option("--port", "N", o->port, "where to listen on this machine; 0: any");
                a.flag("--browser,!--no-browser", o->browser, "open a browser where there is one");
                a.option("--export", "FILE.html", o->page,
                         "write a page that plays without a server, with fewer frames and "
                         "particles, and end");
                a.option("--color-by", "COLUMN", o->exported.column,
                         "with --export: a column to colour by, or speed; default: by body");
                a.option("--page-frames", "N", o->exported.frames, "with --export: most frames");
                a.option("--page-size", "MB", o->exported.megabytes,
                         "with --export: megabytes for particles, before they are text");
            },
            [o] { return view_run(*o); }};
}

}  // namespace knead::cli
