#include "knead/scene/run_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "knead/base/error.h"
#include "knead/io/atomic_file.h"
#include "knead/scene/changed_keys.h"
#include "knead/scene/extend.h"
#include "knead/scene/read_file.h"
#include "knead/scene/read_scene.h"
#include "knead/scene/scene_meshes.h"
#include "knead/sim/hash.h"
#include "knead/sim/run_report.h"

namespace fs = std::filesystem;

namespace knead {

namespace {

bool is_there(const std::string& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

[[noreturn]] void refuse(const std::string& place, const std::string& what,
                         const std::string& remedy) {
    throw InputError({place}, what, remedy);
}

// Whether the file is as a run writes it: replacing it loses nothing that a person wrote.
bool is_resolved(const std::string& file) {
    const Reading reading = try_read_scene(file);
    return reading.mistakes.empty() && write_scene(reading.scene) == read_scene_file(file);
}

}  // namespace

Scene model_part(Scene scene) {
    scene.title.clear();
    scene.time.frames = 1;
    scene.time.max_dt = 0;
    scene.output = {};
    scene.camera = {};
    scene.picture = {};
    return scene;
}

std::uint64_t model_hash(const Scene& whole) {
    const Scene scene = model_part(whole);
    return hash_of(write_scene(scene)) ^ hash_of_meshes(scene);
}

RunSession::RunSession(RunRequest request)
    : request_(std::move(request)), folder_(request_.folder), hash_(model_hash(request_.scene)) {
    check();
    was_killed_ = folder_.status() == "killed";
    lock_.emplace(folder_);
    check();  // another run may have ended since
}

void RunSession::check() const {
    refuse_own_inputs();
    if (request_.existing == Existing::overwrite) return;
    if (request_.existing == Existing::resume) return check_resume();
    if (folder_.holds_a_run())
        refuse(folder_.path(), "there is a run in this folder already",
               "add --resume to go on with it, --overwrite to replace it, or choose another "
               "folder with --out");
}

// A run never replaces what it is made from.
void RunSession::refuse_own_inputs() const {
    std::vector<std::string> inputs = mesh_files(request_.scene);
    std::error_code ignored;
    if (!fs::is_directory(request_.input, ignored))
        for (std::string& file : files_of_scene(request_.input)) inputs.push_back(std::move(file));
    for (const std::string& file : inputs)
        if (folder_.writes(file))
            refuse(file, "the run would replace this file, which it is made from",
                   "choose another folder with --out; `knead run DIR --resume` goes on with the "
                   "run in DIR");
}

// Going on must not lose anything, and must go on with the same run.
void RunSession::check_resume() const {
    const bool has_scene = is_there(folder_.scene());
    if (has_scene && !request_.steer && model_hash(read_scene(folder_.scene())) != hash_)
        refuse(
            folder_.path(),
            "the run in this folder was started with another scene, or other --set" + differences(),
            fmt::format("`knead run {} --resume` goes on with it as it was; --overwrite "
                        "starts again",
                        folder_.path()));
    // --overwrite may have been stopped while it cleared the folder.
    if (!folder_.checkpoint_files().empty() || report_status(folder_.report()) == "starting")
        return;
    if (folder_.holds_work() || (!has_scene && folder_.holds_a_run()))
        refuse(folder_.path(), "there are files of a run here, but no checkpoint to go on from",
               "--overwrite starts again and replaces them; or choose another folder with --out");
    if (has_scene && !scene_is_kept() && !is_resolved(folder_.scene()))
        refuse(folder_.scene(), "no run wrote this file, but this one would replace it",
               "choose another folder with --out; --overwrite replaces it");
}

// The first few keys in which the scene asked for differs from that of the folder.
std::string RunSession::differences() const {
    constexpr std::size_t most = 6;
    const auto keys = changed_keys(read_scene(folder_.scene()), request_.scene);
    std::string text;
    for (std::size_t k = 0; k < std::min(most, keys.size()); ++k)
        text += (k == 0 ? ": " : ", ") + keys[k];
    if (keys.size() > most) text += fmt::format(" and {} more", keys.size() - most);
    return text;
}

// Whether the scene in the folder says the same already. It is left alone then.
bool RunSession::scene_is_kept() const {
    const Reading reading = try_read_scene(folder_.scene());
    return reading.mistakes.empty() && write_scene(reading.scene) == write_scene(request_.scene);
}

// Should this be stopped half-way, the report tells a later --resume that it may go on with it.
void RunSession::start_over() const {
    if (folder_.holds_a_run()) {
        RunReport report;
        report.title = request_.scene.title;
        report.status = "starting";
        report.seed = request_.scene.seed;
        write_report(folder_.report(), report);
    }
    if (!is_there(folder_.scene()) || !scene_is_kept())
        write_whole(folder_.scene(), write_scene(request_.scene));
    folder_.clear();
}

template <class Real>
std::optional<Checkpoint<Real>> RunSession::begin(
    const std::function<void(const std::string&)>& warn,
    const std::function<void(const Checkpoint<Real>&)>& check) {
    std::optional<Checkpoint<Real>> checkpoint;
    const bool steers = request_.steer && is_there(folder_.scene());
    const std::uint64_t hash = steers ? model_hash(read_scene(folder_.scene())) : hash_;
    if (request_.existing == Existing::resume) checkpoint = folder_.load<Real>(hash, warn, check);
    if (checkpoint && was_killed_)
        warn(fmt::format("the run before was killed; going on after frame {}, at {:.6g} s",
                         checkpoint->state.frame, checkpoint->state.time));
    lock_->keep();
    folder_.create();
    if (!checkpoint)
        start_over();
    else if (!steers && (!is_there(folder_.scene()) || !scene_is_kept()))
        write_whole(folder_.scene(), write_scene(request_.scene));
    return checkpoint;
}

bool may_steer(const std::string& setting) {
    const std::string key = setting.substr(0, setting.find('='));
    for (const char* whole : {"time.max_dt", "time.frames"})
        if (key == whole) return true;
    for (const char* root : {"materials.", "gravity"})
        if (key.rfind(root, 0) == 0) return true;
    const std::string friction = ".friction";
    return key.rfind("colliders.", 0) == 0 && key.size() > friction.size() &&
           key.compare(key.size() - friction.size(), friction.size(), friction) == 0;
}

template <class Real>
void RunSession::adopt(Checkpoint<Real>& checkpoint) const {
    if (checkpoint.frame_start) {
        checkpoint.state = std::move(*checkpoint.frame_start);
        checkpoint.frame_start.reset();
    }
    folder_.save<Real>(checkpoint.state, nullptr, hash_);
    write_whole(folder_.scene(), write_scene(request_.scene));
}

template void RunSession::adopt(Checkpoint<float>&) const;
template void RunSession::adopt(Checkpoint<double>&) const;

template std::optional<Checkpoint<float>> RunSession::begin(
    const std::function<void(const std::string&)>&,
    const std::function<void(const Checkpoint<float>&)>&);
template std::optional<Checkpoint<double>> RunSession::begin(
    const std::function<void(const std::string&)>&,
    const std::function<void(const Checkpoint<double>&)>&);

}  // namespace knead
