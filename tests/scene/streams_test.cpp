// Streams and sinks as scenes say them, and runs of every method that takes them.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "io/scratch_folder.h"
#include "knead/scene/build_model.h"
#include "knead/scene/read_scene.h"
#include "knead/sim/make_solver.h"
#include "knead/sim/run.h"
#include "knead/sim/stats_file.h"

namespace knead {
namespace {

std::string strand() {
    std::ifstream in(std::string(KNEAD_TESTS) + "/scenes/strand.toml");
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
}

std::vector<Mistake> mistakes_with(const std::vector<std::string>& settings) {
    return try_read_scene_text(strand(), "strand.toml", settings).mistakes;
}

// The one mistake, which says `what`.
void expect_mistake(const std::vector<std::string>& settings, const std::string& what) {
    const auto mistakes = mistakes_with(settings);
    ASSERT_EQ(mistakes.size(), 1u) << what;
    EXPECT_NE(to_string(mistakes[0]).find(what), std::string::npos) << to_string(mistakes[0]);
    EXPECT_FALSE(mistakes[0].remedy.empty());
}

// The last row of the statistics of a run.
std::map<std::string, double> run_it(const Scene& scene, const std::string& folder) {
    Built<float> built = build_model<float>(scene);
    const auto solver = make_solver<float>(built.model, Backend::cpu);
    RunObserver nobody;
    run(built.model, std::move(built.state), *solver, RunFolder(folder), {built.model.time.frames},
        nobody);
    const StatsTable table = read_stats(RunFolder(folder).stats());
    std::map<std::string, double> last;
    for (std::size_t k = 0; k < table.columns.size(); ++k)
        last[table.columns[k]] = table.rows.back()[k];
    return last;
}

}  // namespace

TEST(Streams, MistakesAreNamed) {
    EXPECT_TRUE(mistakes_with({}).empty());
    expect_mistake({"bodies.strand.stream.volume_rate=1e-4"}, "both speed and volume_rate");
    expect_mistake({"bodies.strand.stream={direction=[0,1,0]}"}, "how much enters");
    expect_mistake({"bodies.strand.stream.direction=[0,0,0]"}, "no direction");
    expect_mistake({"bodies.strand.stream.stop=0.005"}, "stop is not after start");
    expect_mistake({"bodies.strand.stream.carried_by=nozle"}, "nozzle");
    expect_mistake({"bodies.strand.velocity=[0,1,0]"}, "is a stream");
    expect_mistake({"bodies.strand.emit={interval=1,count=2}"}, "both emit and stream");
    expect_mistake({"sinks.drain.stop=0.05"}, "stop is not after start");
    expect_mistake({"solver.volumes=estimate"}, "cannot be estimated");
}

TEST(Streams, MethodsThatCannotTakeThemSaySo) {
    const auto embedded = mistakes_with({"solver.method=embedded"});
    ASSERT_EQ(embedded.size(), 2u);  // the stream, and the sink
    for (const Mistake& m : embedded)
        EXPECT_NE(m.what.find("the embedded method has no"), std::string::npos) << m.what;
    EXPECT_EQ(mistakes_with({"solver.method=implicit", "solver.implicit.rest_update=lazy"}).size(),
              2u);
}

TEST(Streams, WhatAResolvedSceneSaysIsReadBack) {
    const Scene scene = read_scene_text(strand(), "strand.toml");
    const std::string text = write_scene(scene);
    EXPECT_EQ(write_scene(read_scene_text(text, "again.toml")), text);
}

// pi 0.03^2 m2 at 1 m/s for 0.16 s; the section of a lattice is within a few per cent of the
// circle.
TEST(Streams, WhatWillComeIsCounted) {
    const Scene scene = read_scene_text(strand(), "strand.toml");
    const Built<float> built = build_model<float>(scene);
    const double volume = 3.14159265 * 0.03 * 0.03 * 0.16;
    EXPECT_NEAR(built.cost.volumes[0], volume, 0.01 * volume);
    EXPECT_EQ(built.state.particle_count(), 0u);
    ASSERT_EQ(built.model.streams.size(), 1u);
    const Stream& s = built.model.streams[0];
    const double slices = 0.16 / s.period();
    const double made = slices * static_cast<double>(s.points.size());
    EXPECT_NEAR(built.cost.particle_count(), made, 0.15 * made);
}

// A volume rate is met whatever the lattice makes of the opening.
TEST(Streams, AVolumeRateIsExact) {
    const Scene scene = read_scene_text(
        strand(), "strand.toml", {"bodies.strand.stream={direction=[0,-1,0],volume_rate=2e-3}"});
    const Stream s = build_model<float>(scene).model.streams[0];
    EXPECT_NEAR(static_cast<double>(s.points.size()) * s.volume() / s.period(), 2e-3, 1e-12);
}

// The books balance in every method: mass is what came in less what went out.
TEST(Streams, RunInEveryMethodThatTakesThem) {
    for (const char* method : {"mpm", "incremental", "implicit"}) {
        const ScratchFolder place;
        std::vector<std::string> settings{std::string("solver.method=") + method};
        if (std::string(method) == "incremental")
            settings.push_back("solver.incremental.memory=increments");
        const auto last = run_it(read_scene_text(strand(), "strand.toml", settings), place.path);
        // 16 slices in 0.16 s at 0.01 s each.
        const double slice = 1000 * 1e-6 * 32;
        EXPECT_GT(last.at("mass_in"), 12 * slice) << method;
        EXPECT_GT(last.at("mass_out"), 0) << method;
        EXPECT_NEAR(last.at("mass"), last.at("mass_in") - last.at("mass_out"), 1e-6) << method;
    }
}

// The plate at the opening: nothing flows back where the way out is low.
TEST(Streams, NothingFlowsBack) {
    const ScratchFolder place;
    const Scene scene = read_scene_text(
        strand(), "strand.toml",
        {"colliders.nozzle.motion.velocity=[0,0,0]", "sinks=[]",
         "colliders.floor.shape={plane={point=[0,0.04,0]}}", "bodies.strand.stream.stop=10"});
    const auto last = run_it(scene, place.path);
    EXPECT_LT(last.at("bbox_max_y"), 0.13);
    EXPECT_EQ(last.at("blocked_time"), 0);
}

// Paste that stands on a floor close by is pushed on: all that is asked for enters.
TEST(Streams, StiffPasteIsDrivenOut) {
    const ScratchFolder place;
    const Scene scene =
        read_scene_text(strand(), "strand.toml",
                        {"colliders.nozzle.motion.velocity=[0,0,0]", "sinks=[]",
                         "bodies.strand.stream.speed=0.4", "materials.paste.flow.yield_stress=1000",
                         "time.frames=20", "bodies.strand.stream.stop=10"});
    const auto last = run_it(scene, place.path);
    const double slices = std::floor((0.4 - 0.01) / (0.01 / 0.4)) + 1;
    const Stream s = build_model<float>(scene).model.streams[0];
    EXPECT_NEAR(last.at("mass_in"),
                slices * 1000 * s.volume() * static_cast<double>(s.points.size()), 1e-9);
}

// Twice what a closed vessel of (6 cm)^3 holds is asked for: it takes its fill and some
// compression, the rest waits, and nothing is crushed.
TEST(Streams, AFullVesselTakesNoMore) {
    const ScratchFolder place;
    const Scene scene = read_scene_text(R"([solver]
dx = 0.01
[time]
frames = 12
[[bodies]]
name = "paste"
material = "toothpaste"
shape = {cylinder = {from = [0, 0.045, 0], to = [0, 0.055, 0], radius = 0.015}}
stream = {direction = [0, -1, 0], volume_rate = 0.000864}
[[colliders]]
shape = {shell = {thickness = 0.04, of = {box = {center = [0, 0.03, 0], size = [0.1, 0.1, 0.1]}}}}
)",
                                        "vessel.toml");
    const auto last = run_it(scene, place.path);
    const double full = 1300 * std::pow(0.06, 3);
    EXPECT_LT(last.at("mass_in"), 1.15 * full);
    EXPECT_GT(last.at("mass_in"), 0.7 * full);
    EXPECT_GT(last.at("blocked_time"), 0.05);  // of 0.2 s, up to the last try, not its pause
    EXPECT_GT(last.at("min_J"), 0.2);
}

}  // namespace knead
