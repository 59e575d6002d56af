#include "cloth_implicit.h"

#include <fmt/format.h>

#include "knead/parallel/exec.h"
#include "scene_run.h"

namespace knead::bench {

namespace {

struct Row {
    const char* name;
    const char* text;
    double longest;  // explicit step of the paper [s]
    double settle;   // simulated before the timing [s]
    double span;     // and timed [s]
};

const Row rows[] = {{"knit", R"(
gravity = [0, 0, 0]
[solver]
dx = 0.004
[materials.wool]
density = 4
elastic = {law = "thin", young_modulus = 500, poisson_ratio = 0.3}
thin = {stretch = 10000, damping = 1.0}
[[bodies]]
name = "swatch"
material = "wool"
thin = {knit = {rows = 12, columns = 12, yarn = 0.005, samples = 60}}
[[grips]]
body = "swatch"
group = "left"
motion = {velocity = [-0.08, 0, 0]}
[[grips]]
body = "swatch"
group = "right"
motion = {velocity = [0.08, 0, 0]}
)",
                     1e-4, 0.1, 0.08},
                    {"curtain-and-sand", R"(
gravity = [0, -9.8, 0]
[solver]
dx = 0.04
[materials.cloth]
density = 2
elastic = {law = "thin", young_modulus = 400, poisson_ratio = 0.3}
thin = {compression = 200000}
[materials.grains]
density = 2.2
elastic = {law = "hencky", young_modulus = 350, poisson_ratio = 0.3}
flow = {rule = "drucker-prager", friction_angle = 35}
[[bodies]]
name = "curtain"
material = "cloth"
thin = {curtain = {corner = [-0.6, 1.3, 0], width = 1.2, height = 1.0, folds = 8, depth = 0.03}, edge = 0.03}
[[grips]]
body = "curtain"
group = "top"
[[bodies]]
name = "grains"
material = "grains"
shape = {box = {center = [0, 1.0, 0.45], size = [0.5, 0.5, 0.5]}}
velocity = [0, 0, -2]
[[colliders]]
name = "ground"
shape = {plane = {normal = [0, 1, 0]}}
friction = 0.4
)",
                     2e-4, 0.2, 0.1}};

std::string with_integrator(std::string text, bool implicit) {
    const std::string head = "[solver]\n";
    if (implicit) text.replace(text.find(head), head.size(), head + "integrator = \"implicit\"\n");
    return text;
}

// Seconds of work to a simulated time, in steps of at most dt.
double run(SceneRun& scene, double until, double dt) {
    return seconds_of([&] {
        while (scene.state().time < until) scene.step(dt);
    });
}

std::int64_t particles_of(const State<float>& state) {
    std::size_t n = 0;
    for (const auto& phase : state.phases) n += phase.particles.size();
    return static_cast<std::int64_t>(n);
}

ClothImplicit time_one(const Row& row, bool implicit, double dt) {
    SceneRun scene(with_integrator(row.text, implicit));
    run(scene, row.settle, dt);
    State<float>& state = scene.state();
    auto before = state.totals;
    const double from = state.time;
    const std::int64_t steps = state.step;
    ClothImplicit out{row.name, implicit, particles_of(state)};
    const double seconds = run(scene, from + row.span, dt);
    const auto taken = static_cast<double>(state.step - steps);
    out.dt = (state.time - from) / taken;
    out.seconds = seconds / (state.time - from);
    out.step_rate = 1e-6 * static_cast<double>(out.particles) * taken / seconds;
    const auto grown = [&](const char* name) { return state.totals[name] - before[name]; };
    out.newton = grown("newton_iterations") / taken;
    out.minres = grown("minres_iterations") / taken;
    out.limits = grown("newton_limit") + grown("minres_limit");
    return out;
}

}  // namespace

std::vector<ClothImplicit> cloth_implicit(int threads, double times) {
    set_thread_count(threads);
    std::vector<ClothImplicit> list;
    for (const Row& row : rows) {
        list.push_back(time_one(row, false, row.longest));
        list.push_back(time_one(row, true, times * list.back().dt));
    }
    return list;
}

}  // namespace knead::bench
