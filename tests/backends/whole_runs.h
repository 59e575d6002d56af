// Small scenes run from beginning to end on either backend, and what came of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/scratch_folder.h"
#include "knead/cuda/gpu.h"
#include "knead/io/frame_reader.h"
#include "knead/scene/build_model.h"
#include "knead/scene/read_scene.h"
#include "knead/sim/make_solver.h"
#include "knead/sim/run.h"
#include "knead/sim/stats_file.h"

namespace knead {

// A scene of tests/scenes with some of its text changed.
inline std::string changed_scene(const std::string& name,
                                 const std::vector<std::pair<std::string, std::string>>& changes) {
    std::ifstream in(std::string(KNEAD_TESTS) + "/scenes/" + name);
    std::ostringstream all;
    all << in.rdbuf();
    std::string text = all.str();
    for (const auto& [from, to] : changes) {
        const std::size_t at = text.find(from);
        if (at == std::string::npos) throw std::runtime_error(name + " does not hold " + from);
        text.replace(at, from.size(), to);
    }
    return text;
}

// Clay and jelly that fall on a floor while a paddle comes along: some 500 particles.
inline const std::string solids = changed_scene(
    "solids.toml",
    {{"frames = 16", "frames = 4"},
     {"checkpoint_seconds = 0", "checkpoint_seconds = 600"},
     {"[0, 0.2, 0], size = [0.2, 0.2, 0.2]", "[0, 0.12, 0], size = [0.15, 0.15, 0.15]"},
     {"[0.05, 0.5, 0], radius = 0.14", "[0.05, 0.3, 0], radius = 0.09"},
     {"center = [-0.6", "center = [-0.3"}});

// Foam that is emitted, tears and heals; what else happens to it is up to the settings.
inline const std::string foam = changed_scene(
    "foam.toml",
    {{"frames = 16", "frames = 4"},
     {"checkpoint_seconds = 0", "checkpoint_seconds = 600"},
     {"remove_subgrid = true\n", ""},
     {"resampling = true\n", ""},
     {"resampling_interval = 0.02\n", ""},
     {"resampling_strain = 0.05\n", ""},
     {"velocity = [0, -1, 0]", "velocity = [0, -2, 0]"},
     {"[0, 0.25, 0], size = [0.06, 0.06, 0.06]", "[0, 0.2, 0], size = [0.05, 0.05, 0.05]"},
     {"start = 0.02, interval = 0.05, count = 4", "start = 0.01, interval = 0.03, count = 2"},
     {"[[colliders]]", R"([[bodies]]
name = "filament"
material = "foam"
shape = {box = {center = [0.2, 0.02, 0], size = [0.1, 0.016, 0.016]}}
velocity = [0, -3, 0]

[[colliders]])"}});

struct WholeRun : RunObserver {
    ScratchFolder place;
    RunFolder folder{place.path};
    std::vector<std::string> troubles;
    std::vector<std::map<std::string, double>> rows;  // of stats.csv
    RunOutcome outcome;

    void trouble(const std::string& text) override { troubles.push_back(text); }

    // With steps of `dt_scale` of what they may be.
    void start(const std::string& text, Backend backend,
               const std::vector<std::string>& settings = {}, double dt_scale = 1) {
        Built<float> built = build_model<float>(read_scene_text(text, "scene", settings));
        built.state.dt_scale = dt_scale;
        const auto solver = make_solver<float>(built.model, backend);
        folder.create();
        outcome = run(built.model, std::move(built.state), *solver, folder,
                      {built.model.time.frames}, *this);
        read_rows();
    }
    // Goes on from the last checkpoint.
    void go_on(const std::string& text, Backend backend,
               const std::vector<std::string>& settings = {}) {
        const Built<float> built = build_model<float>(read_scene_text(text, "scene", settings));
        const auto solver = make_solver<float>(built.model, backend);
        auto checkpoint = folder.load<float>(0, [](const std::string&) {});
        ASSERT_TRUE(checkpoint.has_value());
        outcome = resume(built.model, std::move(*checkpoint), *solver, folder,
                         {built.model.time.frames}, *this);
        read_rows();
    }
    std::string frame_bytes(int frame) const {
        std::ifstream in(folder.frame(frame), std::ios::binary);
        std::ostringstream bytes;
        bytes << in.rdbuf();
        return bytes.str();
    }

private:
    void read_rows() {
        const StatsTable table = read_stats(folder.stats());
        rows.clear();
        for (const auto& row : table.rows) {
            rows.emplace_back();
            for (std::size_t k = 0; k < row.size(); ++k)
                if (table.columns[k] != "seconds") rows.back()[table.columns[k]] = row[k];
        }
    }
};

inline void expect_same_bytes(const WholeRun& a, const WholeRun& b, int frames) {
    EXPECT_EQ(a.rows, b.rows);
    for (int k = 0; k <= frames; ++k) {
        EXPECT_FALSE(a.frame_bytes(k).empty());
        EXPECT_TRUE(a.frame_bytes(k) == b.frame_bytes(k)) << "frame " << k;
    }
}

// A setting of the environment for one test.
class Environment {
public:
    Environment(const char* name, const std::string& value) : name_(name) {
        setenv(name, value.c_str(), 1);
    }
    ~Environment() { unsetenv(name_); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    const char* name_;
};

inline bool gpu_is_emulated() { return describe_gpu().rfind("emulated", 0) == 0; }

}  // namespace knead
