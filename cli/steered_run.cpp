#include "steered_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>

#include "command.h"
#include "knead/base/error.h"
#include "knead/scene/run_session.h"
#include "knead/scene/scene_meshes.h"
#include "knead/sim/run_report.h"

namespace knead::cli {

namespace {

constexpr auto longest_stop = std::chrono::seconds(60);
constexpr std::size_t most_said = 20;  // lines that are kept

// Reads what is there and hands out whole lines; false at the end.
template <class Visit>
bool read_lines(int file, std::string& rest, const Visit& visit) {
    char bytes[4096];
    const ssize_t n = read(file, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) return true;
    if (n <= 0) return false;
    rest.append(bytes, static_cast<std::size_t>(n));
    for (std::size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
        visit(rest.substr(0, end));
    return true;
}

}  // namespace

SteeredRun::SteeredRun(const std::vector<std::string>& first, std::string folder)
    : folder_(std::move(folder)) {
    const std::scoped_lock lock(mutex_);
    start(first);
}

SteeredRun::~SteeredRun() {
    {
        std::unique_lock lock(mutex_);
        stop(lock);
    }
    if (listener_.joinable()) listener_.join();
}

// A child that Ctrl-C in the terminal does not reach: it ends with us, by our word.
void SteeredRun::start(const std::vector<std::string>& arguments) {
    if (listener_.joinable()) listener_.join();
    int output[2], error[2];
    if (pipe2(output, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0)
        throw RunError(std::string("no pipe for the run: ") + std::strerror(errno));
    std::vector<std::string> words{"knead", "run"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    words.push_back("--json");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    child_ = fork();
    if (child_ == 0) {
        setpgid(0, 0);
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) ::signal(number, SIG_DFL);
        dup2(output[1], STDOUT_FILENO);
        dup2(error[1], STDERR_FILENO);
        execv("/proc/self/exe", argv.data());
        _exit(127);
    }
    close(output[1]);
    close(error[1]);
    if (child_ < 0)
        throw RunError(std::string("the run cannot be started: ") + std::strerror(errno));
    state_ = "running";
    ++version_;
    listener_ = std::thread([this, o = output[0], e = error[0]] { listen(o, e); });
}

void SteeredRun::listen(int output, int error) {
    std::string from_output, from_error;
    pollfd files[] = {{output, POLLIN, 0}, {error, POLLIN, 0}};
    while (files[0].fd >= 0 || files[1].fd >= 0) {
        if (poll(files, 2, -1) < 0 && errno != EINTR) break;
        if (files[0].revents &&
            !read_lines(output, from_output, [&](const std::string& line) { heard(line); }))
            files[0].fd = -1;
        const auto say = [&](const std::string& line) {
            const std::scoped_lock lock(mutex_);
            said_.push_back(line);
            if (said_.size() > most_said) said_.pop_front();
            ++version_;
        };
        if (files[1].revents && !read_lines(error, from_error, say)) files[1].fd = -1;
    }
    close(output);
    close(error);
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    const std::scoped_lock lock(mutex_);
    const bool stopped =
        state_ == "stopping" || (WIFEXITED(status) && WEXITSTATUS(status) == stopped_exit_code &&
                                 report_status(RunFolder(folder_).report()) == "stopped");
    state_ = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "finished"
             : stopped                                     ? "stopped"
                                                           : "failed";
    was_refused_ = WIFEXITED(status) && WEXITSTATUS(status) == 2;
    child_ = -1;
    ++version_;
    changed_.notify_all();
}

void SteeredRun::heard(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    if (nlohmann::json::accept(line)) progress_ = line;
    ++version_;
    changed_.notify_all();
}

std::string SteeredRun::state() {
    const std::scoped_lock lock(mutex_);
    nlohmann::ordered_json json;
    json["state"] = state_;
    json["progress"] = nlohmann::ordered_json::parse(progress_);
    json["warnings"] = said_;
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::int64_t SteeredRun::version() {
    const std::scoped_lock lock(mutex_);
    return version_;
}

std::vector<std::string> SteeredRun::said() {
    const std::scoped_lock lock(mutex_);
    return {said_.begin(), said_.end()};
}

bool SteeredRun::was_refused() {
    const std::scoped_lock lock(mutex_);
    return was_refused_;
}

bool SteeredRun::wait_for_a_frame() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return child_ < 0 || progress_ != "{}"; });
    return progress_ != "{}" || state_ == "finished";
}

void SteeredRun::signal(int number) const {
    if (child_ > 0) kill(child_, number);
}

// Asks for a clean end and waits for it.
void SteeredRun::stop(std::unique_lock<std::mutex>& lock) {
    if (child_ < 0) return;
    state_ = "stopping";
    ++version_;
    signal(SIGTERM);
    signal(SIGCONT);
    if (!changed_.wait_for(lock, longest_stop, [&] { return child_ < 0; })) {
        signal(SIGKILL);
        changed_.wait(lock, [&] { return child_ < 0; });
    }
}

void SteeredRun::act(const std::string& action, const std::vector<std::string>& settings) {
    std::unique_lock lock(mutex_);
    const auto refuse = [&](const std::string& remedy) {
        throw InputError({}, "the run is " + state_ + ", so it cannot " + action, remedy);
    };
    if (action == "pause") {
        if (state_ != "running") refuse("only a run that goes on can pause");
        signal(SIGSTOP);
        state_ = "paused";
    } else if (action == "resume" && state_ == "paused") {
        signal(SIGCONT);
        state_ = "running";
    } else if (action == "resume") {
        if (child_ > 0) refuse("it goes on");
        start({folder_, "--resume"});
    } else if (action == "stop") {
        if (child_ < 0) refuse("it has ended");
        stop(lock);
    } else if (action == "set") {
        for (const std::string& setting : settings)
            if (!may_steer(setting))
                throw InputError({setting}, "cannot change while a run goes on",
                                 "materials, gravity, friction of colliders, time.max_dt and "
                                 "time.frames can");
        if (settings.empty())
            throw InputError({}, "there is nothing to set", "name key.path=value");
        Reading reading = try_read_scene_and_meshes(RunFolder(folder_).scene(), settings);
        if (!reading.mistakes.empty()) throw InputError(std::move(reading.mistakes));
        stop(lock);
        std::vector<std::string> arguments{folder_, "--resume", "--steer"};
        for (const std::string& setting : settings) {
            arguments.push_back("--set");
            arguments.push_back(setting);
        }
        start(arguments);
    } else {
        throw InputError({}, "there is no action '" + action + "'",
                         "pause, resume, stop and set are known");
    }
    ++version_;
}

}  // namespace knead::cli
