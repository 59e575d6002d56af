#include "knead/sim/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "knead/base/error.h"
#include "knead/io/frame.h"

namespace fs = std::filesystem;

namespace knead {

namespace {

void remove_files(const std::string& folder, const std::string& extension) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == extension) fs::remove(entry.path(), ignored);
}

}  // namespace

std::string RunFolder::frame(int number) const {
    return frame_path(frames(), "frame", number, "ply");
}

bool RunFolder::holds_a_run() const {
    return fs::exists(scene()) || fs::exists(stats()) || fs::exists(report()) ||
           !checkpoint_files().empty() || !frame_files(frames(), "frame", "ply").empty();
}

void RunFolder::create() const {
    for (const std::string& folder : {path_, frames(), checkpoints()}) {
        std::error_code failed;
        fs::create_directories(folder, failed);
        if (failed) throw RunError(folder + ": cannot be created: " + failed.message());
    }
}

void RunFolder::clear() const {
    std::error_code ignored;
    sweep();
    remove_files(checkpoints(), ".h5");
    remove_files(frames(), ".ply");
    for (const std::string& file : {stats(), report(), scene()}) fs::remove(file, ignored);
}

void RunFolder::sweep() const {
    for (const std::string& folder : {path_, frames(), checkpoints()})
        remove_files(folder, ".part");
}

std::vector<std::string> RunFolder::checkpoint_files() const {
    return frame_files(checkpoints(), "checkpoint", "h5");
}

template <class Real>
std::string RunFolder::save(const State<Real>& state, const State<Real>* frame_start,
                            std::uint64_t model_hash) const {
    const std::vector<std::string> before = checkpoint_files();
    const int number = before.empty() ? 0 : frame_number(before.back()) + 1;
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
    std::uint64_t model_hash, const std::function<void(const std::string&)>& warn) const {
    std::vector<std::string> files = checkpoint_files();
    if (files.empty()) return {};
    std::vector<Mistake> damage;
    for (; !files.empty(); files.pop_back()) {
        try {
            verify_checkpoint(files.back());
        } catch (const InputError& error) {
            warn(error.what());
            damage.push_back(error.mistakes().front());
            damage.back().remedy.clear();
            continue;
        }
        return load_checkpoint<Real>(files.back(), model_hash);
    }
    damage.back().remedy = "no checkpoint is left to resume from: start again with --overwrite";
    throw InputError(damage);
}

RunLock::RunLock(const RunFolder& folder) {
    const std::string path = folder.path() + "/.lock";
    file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) throw RunError(path + ": cannot be written: " + std::strerror(errno));
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
        close(file_);
        throw RunError(folder.path() + ": another run is writing here; wait for it, or choose " +
                       "another --out");
    }
}

RunLock::~RunLock() { close(file_); }

template std::string RunFolder::save(const State<float>&, const State<float>*, std::uint64_t) const;
template std::string RunFolder::save(const State<double>&, const State<double>*,
                                     std::uint64_t) const;
template std::optional<Checkpoint<float>> RunFolder::load(
    std::uint64_t, const std::function<void(const std::string&)>&) const;
template std::optional<Checkpoint<double>> RunFolder::load(
    std::uint64_t, const std::function<void(const std::string&)>&) const;

}  // namespace knead
