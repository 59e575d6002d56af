#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>

#include "knead/base/machine.h"
#include "knead/sim/stats_file.h"
#include "standard_streams.h"
#include "stats_json.h"

namespace knead::cli {

std::string duration(double seconds) {
    if (seconds < 99.5) return fmt::format("{:.1f} s", seconds);
    const long long s = std::llround(seconds);
    if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
    return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
}

std::string count_text(std::size_t count) {
    std::string digits = std::to_string(count);
    for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
    return digits;
}

namespace {

std::string left(const Progress& p) {
    return p.seconds_left < 0 ? "" : ", " + duration(p.seconds_left) + " left";
}

// What it will cost, before the first step.
std::string cost_text(const Preflight& cost, const Model& model, const std::string& how) {
    std::string text = fmt::format(
        "{}: {} particles, {} frames of 1/{:g} s, {}\n", model.title.empty() ? "run" : model.title,
        count_text(cost.particles), model.time.frames, model.time.frame_rate, how);
    text += fmt::format("steps of {:.3g} s, about {:.0f} a frame; what limits them:\n", cost.dt,
                        cost.substeps_per_frame);
    for (std::size_t i = 0; i < cost.limits.size() && i < 4; ++i)
        text += fmt::format("  {:<10.3g}{}\n", cost.limits[i].dt, cost.limits[i].reason);
    return text + fmt::format("memory: {} for particles, {} for the solver so far\n",
                              bytes_in_words(static_cast<double>(cost.particle_bytes)),
                              bytes_in_words(static_cast<double>(cost.scratch_bytes)));
}

// Prints, whatever becomes of standard output: a run goes on when it is full, and stops cleanly
// when its reader has left.
class Printing : public RunObserver {
public:
    explicit Printing(std::atomic<bool>& stop) : stop_(stop) {}
    void trouble(const std::string& what) override { complain(fmt::format("warning: {}\n", what)); }

protected:
    void print(const std::string& text) { note(say(text)); }
    void draw_over(const std::string& text) { note(say_as_it_is(text)); }

private:
    void note(Printed printed) {
        if (printed == Printed::reader_left) stop_ = true;
    }
    std::atomic<bool>& stop_;
};

class Lines : public Printing {
public:
    Lines(const Model& model, std::string how, std::atomic<bool>& stop)
        : Printing(stop), model_(model), how_(std::move(how)) {}
    void started(const Preflight& cost) override { print(cost_text(cost, model_, how_)); }
    void substep(const Progress& p) override {
        if (estimated_ || p.seconds_left < 0) return;
        estimated_ = true;
        print(fmt::format("about {} left\n", duration(p.seconds_left)));
    }
    void frame(const FrameStatistics& s, const Progress& p) override {
        print(fmt::format("frame {}/{}: {:.4g} s, {} substeps, {} particles, took {}{}\n", s.frame,
                          p.frames, s.time, s.substeps, count_text(s.particles),
                          duration(s.seconds), left(p)));
    }

private:
    const Model& model_;
    std::string how_;
    bool estimated_ = false;
};

// One line that is drawn over, ten times a second at most.
class Bar : public Printing {
public:
    Bar(const Model& model, std::string how, std::atomic<bool>& stop)
        : Printing(stop), model_(model), how_(std::move(how)) {}
    ~Bar() override { wipe(); }
    void started(const Preflight& cost) override { print(cost_text(cost, model_, how_)); }
    void substep(const Progress& p) override {
        const auto now = std::chrono::steady_clock::now();
        if (now - drawn_ < std::chrono::milliseconds(100)) return;
        drawn_ = now;
        draw(p);
    }
    void frame(const FrameStatistics&, const Progress& p) override { draw(p); }
    void trouble(const std::string& what) override {
        wipe();
        Printing::trouble(what);
    }

private:
    void draw(const Progress& p) {
        const std::string text =
            fmt::format(" frame {}/{}, {} substeps of {:.2g} s, {} particles{}", p.frame, p.frames,
                        p.frame_substeps, p.dt, count_text(p.particles), left(p));
        winsize size{};
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) size.ws_col = 80;
        const int columns = size.ws_col;
        const int width = std::max(0, std::min(30, columns - static_cast<int>(text.size()) - 3));
        const double share = std::min(1.0, (p.frame + p.frame_share) / std::max(1, p.frames));
        const int full = static_cast<int>(share * width);
        draw_over(fmt::format(
            "\r[{:#<{}}{:.<{}}]{}\033[K", "", full, "", width - full,
            text.substr(0, static_cast<std::size_t>(std::max(0, columns - width - 3)))));
        visible_ = true;
    }
    void wipe() {
        if (!visible_) return;
        draw_over("\r\033[K");
        visible_ = false;
    }

    const Model& model_;
    std::string how_;
    std::chrono::steady_clock::time_point drawn_{};
    bool visible_ = false;
};

class JsonLines : public Printing {
public:
    using Printing::Printing;
    void frame(const FrameStatistics& s, const Progress& p) override {
        auto row = stats_row(s);
        row.emplace_back("frames", p.frames);
        row.emplace_back("wall_seconds", p.seconds);
        if (p.seconds_left >= 0) row.emplace_back("seconds_left", p.seconds_left);
        print(stats_json(row) + "\n");
    }
};

}  // namespace

std::unique_ptr<RunObserver> make_progress(Show show, const Model& model, const std::string& how,
                                           std::atomic<bool>& stop) {
    switch (show) {
        case Show::bar:
            return std::make_unique<Bar>(model, how, stop);
        case Show::lines:
            return std::make_unique<Lines>(model, how, stop);
        case Show::json:
            return std::make_unique<JsonLines>(stop);
        default:
            return std::make_unique<RunObserver>();
    }
}

}  // namespace knead::cli
