// A scene's run in its folder: what may be begun, gone on with or replaced. Holds the folder's lock
// from the first check to the end of the run.
#pragma once

#include <optional>

#include "knead/scene/scene.h"
#include "knead/sim/run_lock.h"

namespace knead {

// What to do about a run that is in the folder already.
enum class Existing { refuse, resume, overwrite };

struct RunRequest {
    Scene scene;
    std::string input;  // the scene file, or the folder of the run that is gone on with
    std::string folder;
    Existing existing = Existing::refuse;
    bool steer = false;  // goes on with other values than it was started with
};

// Whether "key.path=value" may change while a run goes on: materials, gravity, friction, limits.
bool may_steer(const std::string& setting);

// What the simulation depends on, as one number. A run may be made longer, be looked at from
// elsewhere, or go on with other steps.
std::uint64_t model_hash(const Scene& scene);
// The scene without the rest.
Scene model_part(Scene scene);

class RunSession {
public:
    // InputError where the folder holds work that would be lost, or something that is no run of
    // this scene; RunError where another run is writing there. Nothing is changed yet.
    explicit RunSession(RunRequest request);

    const RunFolder& folder() const { return folder_; }
    std::uint64_t hash() const { return hash_; }

    // The checkpoint to go on from; nothing: the folder is ready for a run from the start. `warn`
    // hears of checkpoints that are no use, be it that `check` refuses them, and of a run that was
    // killed.
    template <class Real>
    std::optional<Checkpoint<Real>> begin(
        const std::function<void(const std::string&)>& warn,
        const std::function<void(const Checkpoint<Real>&)>& check);

    // The checkpoint and the scene in the folder become those of the steered run, which goes on
    // from the start of the frame in progress. After check_checkpoint.
    template <class Real>
    void adopt(Checkpoint<Real>& checkpoint) const;

private:
    void check() const;
    void refuse_own_inputs() const;
    void check_resume() const;
    std::string differences() const;
    bool scene_is_kept() const;
    void start_over() const;

    RunRequest request_;
    RunFolder folder_;
    std::uint64_t hash_;
    bool was_killed_ = false;  // the run before
    std::optional<RunLock> lock_;
};

}  // namespace knead
