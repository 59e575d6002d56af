// A run's folder: scene.toml, run.json, stats.csv, frames/, checkpoints/. The last two checkpoints
// are kept, so that a damaged one never costs the run. One without a path stands for no folder at
// all: of a run that leaves nothing on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "knead/sim/checkpoint.h"

namespace knead {

class RunFolder {
public:
    explicit RunFolder(std::string path) : path_(std::move(path)) {}

    const std::string& path() const { return path_; }
    bool is_none() const { return path_.empty(); }
    std::string scene() const { return path_ + "/scene.toml"; }
    std::string report() const { return path_ + "/run.json"; }
    std::string stats() const { return path_ + "/stats.csv"; }
    std::string frames() const { return path_ + "/frames"; }
    std::string frame(int number) const;
    std::string checkpoints() const { return path_ + "/checkpoints"; }

    bool holds_a_run() const;  // whether there is anything in it that a run would replace
    bool holds_work() const;   // more than the start, which only a checkpoint leads on from
    bool writes(const std::string& file) const;  // whether a run in this folder would replace it
    void create() const;  // with the folders in it; RunError where that fails
    // Removes frames, statistics and checkpoints of a former run, and nothing else. RunError where
    // something cannot be removed.
    void clear() const;
    // Removes half-written files that a killed run left.
    void sweep() const;

    std::vector<std::string> frame_files() const;
    // The first frame whose file, or whose row in the statistics, is missing.
    int first_gap() const;

    // Oldest first.
    std::vector<std::string> checkpoint_files() const;
    // Writes the next one and removes all but the last two; returns its path.
    template <class Real>
    std::string save(const State<Real>& state, const State<Real>* frame_start,
                     std::uint64_t model_hash) const;
    // The newest checkpoint that is whole, that `check` does not refuse with an InputError, and
    // that all frames before it led to; `warn` hears of those that are not. Nothing where there are
    // none at all; InputError where no good one is left, or where they belong to another scene.
    template <class Real>
    std::optional<Checkpoint<Real>> load(
        std::uint64_t model_hash, const std::function<void(const std::string&)>& warn,
        const std::function<void(const Checkpoint<Real>&)>& check = {}) const;

    // How the run in here stands, as its report says it; "killed" where that speaks of a run in
    // progress, but its process is gone. "" without a report.
    std::string status() const;
    // Who writes here at the moment: "process 123 on render7"; "" where nobody does.
    std::string writer() const;

private:
    std::string path_;
};

}  // namespace knead
