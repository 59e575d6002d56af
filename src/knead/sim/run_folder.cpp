#include "knead/sim/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <tuple>

#include "knead/base/error.h"
#include "knead/io/atomic_file.h"
#include "knead/io/frame.h"
#include "knead/io/frame_columns.h"
#include "knead/sim/run_lock.h"
#include "knead/sim/run_report.h"
#include "knead/sim/stats_file.h"

namespace fs = std::filesystem;

namespace knead {

namespace {

bool is_named(const std::string& path) {  // be it a link that leads nowhere
    std::error_code ignored;
    return fs::symlink_status(path, ignored).type() > fs::file_type::not_found;
}

void remove_file(const std::string& path) {
    std::error_code failed;
    fs::remove(path, failed);
    if (failed) throw RunError(path + ": cannot be removed: " + failed.message());
}

}  // namespace

std::string RunFolder::frame(int number) const {
    return frame_path(frames(), "frame", number, "ply");
}

std::vector<std::string> RunFolder::frame_files() const {
    return knead::frame_files(frames(), "frame", "ply");
}

bool RunFolder::holds_a_run() const {
    return is_named(scene()) || is_named(stats()) || is_named(report()) ||
           !checkpoint_files().empty() || !frame_files().empty();
}

bool RunFolder::holds_work() const {
    const std::vector<std::string> files = frame_files();
    return (!files.empty() && frame_number(files.back()) > 0) || whole_stats_rows(stats()) > 1;
}

bool RunFolder::writes(const std::string& file) const {
    std::error_code ignored;
    const auto same = [&](const std::string& own) { return fs::equivalent(file, own, ignored); };
    for (const std::string& own : {scene(), report(), stats(), path_ + "/.lock"})
        if (same(own)) return true;
    const fs::path real = fs::weakly_canonical(file, ignored);
    for (const auto& [folder, stem, ending] :
         {std::tuple{frames(), "frame", "ply"}, std::tuple{checkpoints(), "checkpoint", "h5"}}) {
        const int number = frame_number(real.string());
        if (number >= 0 && same(frame_path(folder, stem, number, ending))) return true;
    }
    return false;
}

int RunFolder::first_gap() const {
    int frames = 0;
    while (is_whole_frame(frame(frames))) ++frames;
    return std::min(frames, whole_stats_rows(stats()));
}

void RunFolder::create() const {
    for (const std::string& folder : {path_, frames(), checkpoints()}) {
        std::error_code failed;
        fs::create_directories(folder, failed);
        if (failed) throw RunError(folder + ": cannot be created: " + failed.message());
    }
}

void RunFolder::clear() const {
    sweep();
    for (const std::string& file : checkpoint_files()) remove_file(file);
    for (const std::string& file : frame_files()) remove_file(file);
    remove_file(stats());
}

void RunFolder::sweep() const {
    for (const std::string& folder : {path_, frames(), checkpoints()}) sweep_unfinished(folder);
}

std::vector<std::string> RunFolder::checkpoint_files() const {
    return knead::frame_files(checkpoints(), "checkpoint", "h5");
}

template <class Real>
std::string RunFolder::save(const State<Real>& state, const State<Real>* frame_start,
                            std::uint64_t model_hash) const {
    const std::vector<std::string> before = checkpoint_files();
    const int last = before.empty() ? -1 : frame_number(before.back());
    if (last == std::numeric_limits<int>::max())
        throw RunError(before.back() + ": no checkpoint can follow this one; remove it");
    const int number = last + 1;
    const std::string path = frame_path(checkpoints(), "checkpoint", number, "h5");
    save_checkpoint(path, state, frame_start, model_hash);
    for (std::size_t i = 0; i + 1 < before.size(); ++i) {
        std::error_code ignored;
        fs::remove(before[i], ignored);
    }
    return path;
}

template <class Real>
std::optional<Checkpoint<Real>> RunFolder::load(
    std::uint64_t model_hash, const std::function<void(const std::string&)>& warn,
    const std::function<void(const Checkpoint<Real>&)>& check) const {
    std::vector<std::string> files = checkpoint_files();
    if (files.empty()) return {};
    const int gap = first_gap();
    std::vector<Mistake> damage;
    for (; !files.empty(); files.pop_back()) {
        try {
            const int frame = verify_checkpoint(files.back()).frame;
            if (frame >= gap)
                throw InputError({files.back()},
                                 fmt::format("this checkpoint follows frame {}, but frame {} or "
                                             "its row in {} is missing or not whole",
                                             frame, gap, stats()));
            Checkpoint<Real> checkpoint = load_checkpoint<Real>(files.back(), model_hash);
            if (check) check(checkpoint);
            return checkpoint;
        } catch (const ForeignCheckpoint&) {
            throw;
        } catch (const InputError& error) {
            damage.push_back(error.mistakes().front());
            damage.back().remedy.clear();
        }
        warn(to_string(damage.back()));
    }
    damage.back().remedy =
        "no checkpoint is left to resume from: put back what is missing, or start again with "
        "--overwrite";
    throw InputError(damage);
}

std::string RunFolder::writer() const { return lock_holder(path_ + "/.lock"); }

std::string RunFolder::status() const {
    const std::string said = report_status(report());
    const bool in_progress = said == "running" || said == "starting";
    return in_progress && writer().empty() ? "killed" : said;
}

template std::string RunFolder::save(const State<float>&, const State<float>*, std::uint64_t) const;
template std::string RunFolder::save(const State<double>&, const State<double>*,
                                     std::uint64_t) const;
template std::optional<Checkpoint<float>> RunFolder::load(
    std::uint64_t, const std::function<void(const std::string&)>&,
    const std::function<void(const Checkpoint<float>&)>&) const;
template std::optional<Checkpoint<double>> RunFolder::load(
    std::uint64_t, const std::function<void(const std::string&)>&,
    const std::function<void(const Checkpoint<double>&)>&) const;

}  // namespace knead
