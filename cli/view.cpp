// knead view: a run in the browser.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <thread>

#include "command.h"
#include "knead/base/error.h"
#include "knead/base/input_file.h"
#include "knead/view/page.h"
#include "knead/view/server.h"
#include "standard_streams.h"

namespace knead::cli {

namespace {

struct Options {
    std::string path;
    int port = 0;
    bool browser = true;
};

std::atomic<bool> end_wanted = false;

void listen_for_signals() {
    struct sigaction action {};
    action.sa_handler = [](int) { end_wanted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second one ends the program at once
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

void require_page() {
    if (!view::has_page())
        throw InputError({}, "this program was built without the page that shows runs",
                         view::why_no_page());
}

void check(const Options& o) {
    if (o.port < 0 || o.port > 65535)
        throw InputError({"--port"}, "must be between 1 and 65535, or 0 for one that is free");
    require_page();
    if (!RunFolder(o.path).holds_a_run())
        throw InputError({o.path}, "no run in this folder", "`knead run SCENE` makes one");
}

// Where there is a screen. What the browser says goes nowhere.
void open_browser(const std::string& link) {
    if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
    const pid_t child = fork();
    if (child != 0) return;
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
    execlp("xdg-open", "xdg-open", link.c_str(), nullptr);
    _exit(1);
}

void serve(view::ViewServer& server) {
    std::atomic<bool> ended = false;
    std::thread waiting([&] {
        while (!end_wanted && !ended) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        server.stop();
    });
    server.serve();
    ended = true;
    waiting.join();
}

int view_run(const Options& o) {
    check(o);
    std::signal(SIGCHLD, SIG_IGN);
    listen_for_signals();
    view::WatchedRun run(o.path);
    view::ViewServer server(run, nullptr, false, o.port);
    say(fmt::format("{}\nOpen the link in a browser on this machine; Ctrl-C ends.\n",
                    server.link()));
    if (o.browser) open_browser(server.link());
    serve(server);
    return 0;
}

}  // namespace

Command command_view() {
    auto o = std::make_shared<Options>();
    return {"view", "look at a run in the browser, also while it goes on",
            "knead view out/demo\n"
            "knead view out/demo --port 8080 --no-browser",
            [o](Arguments& a) {
                a.positional("DIR", o->path, "folder of a run");
                a.option("--port", "N", o->port, "where to listen on this machine; 0: any");
                a.flag("--browser,!--no-browser", o->browser, "open a browser where there is one");
            },
            [o] { return view_run(*o); }};
}

}  // namespace knead::cli
