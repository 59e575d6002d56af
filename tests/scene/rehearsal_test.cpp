// What a run will take, by a rehearsal that is too short for all of it.
#include "knead/scene/rehearsal.h"

#include <gtest/gtest.h>

#include "knead/scene/read_scene.h"
#include "knead/sim/make_solver.h"
#include "knead/sim/runner.h"

namespace knead {
namespace {

Scene scene_of(const std::string& more) {
    return read_scene_text("[time]\nframes = 24\n" + more + "[[colliders]]\nshape = {plane = {}}\n",
                           "a.toml");
}

double steps_of(const Scene& scene) {
    Built<float> built = build_model<float>(scene);
    const auto solver = make_solver<float>(built.model, Backend::cpu);
    const RunFolder nowhere("");
    const RunOptions options{built.model.time.frames};
    RunObserver observer;
    Runner<float> runner(built.model, built.state, *solver, nowhere, options, observer);
    runner.begin();
    return static_cast<double>(runner.advance_to_the_end().steps);
}

// Paste that enters later is far stiffer than the jelly that is there, and its slices need no steps
// before. A third of the way the step falls to a third: what is seen at the start is off by far.
TEST(Rehearsal, KnowsMatterThatComesLater) {
    const Scene scene = scene_of(R"(
[solver]
dx = 0.02
[[bodies]]
material = "jelly"
shape = {sphere = {center = [0, 0.06, 0], radius = 0.06}}
[[bodies]]
material = "clay"
shape = {cylinder = {from = [0, 0.3, 0], to = [0, 0.31, 0], radius = 0.03}}
stream = {direction = [0, -1, 0], speed = 0.5, start = 0.3, stop = 0.6}
)");
    const double truth = steps_of(scene);
    const Rehearsal r = rehearse(scene, build_model<float>(scene), 0.1);
    EXPECT_NEAR(r.steps, truth, 0.1 * truth) << r.coarser;
    EXPECT_GT(r.seconds, 0);
}

// The viscosity between particles follows their distance, so that its limit goes with dx and not
// with its square.
TEST(Rehearsal, TakesLimitsAsTheyGrow) {
    const Scene scene = scene_of(R"(
[solver]
method = "incremental"
dx = 0.03
[[bodies]]
material = "jelly"
shape = {sphere = {center = [0, 0.1, 0], radius = 0.1}}
)");
    const double truth = steps_of(scene);
    const Rehearsal r = rehearse(scene, build_model<float>(scene), 0.1);
    EXPECT_NEAR(r.steps, truth, 0.1 * truth) << r.coarser;
}

// All of it fits into the time.
TEST(Rehearsal, OfAShortRunIsTheRun) {
    const Scene scene = scene_of(R"(
[solver]
dx = 0.05
[[bodies]]
material = "jelly"
shape = {sphere = {center = [0, 0.1, 0], radius = 0.1}}
)");
    const Rehearsal r = rehearse(scene, build_model<float>(scene), 60);
    EXPECT_EQ(r.steps, steps_of(scene));
    EXPECT_EQ(r.coarser, 1);
    EXPECT_EQ(r.share, 1);
}

}  // namespace
}  // namespace knead
