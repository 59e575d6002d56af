// A jelly ball that falls on the floor, without files: read a scene, build it, take steps.
#include <knead/scene/build_model.h>
#include <knead/scene/read_scene.h>
#include <knead/sim/make_solver.h>

#include <algorithm>
#include <cstdio>

int main() {
    const knead::Scene scene = knead::read_scene_text(R"(
        [solver]
        dx = 0.04
        [[bodies]]
        name = "ball"
        material = "jelly"
        shape = {sphere = {center = [0, 0.3, 0], radius = 0.15}}
        [[colliders]]
        name = "floor"
        shape = {plane = {normal = [0, 1, 0]}}
    )",
                                                      "hello");
    knead::Built<float> built = knead::build_model<float>(scene);
    knead::State<float>& state = built.state;
    const auto solver = knead::make_solver<float>(built.model, knead::Backend::cpu);
    solver->prepare(state);

    for (int frame = 1; frame <= 12; ++frame) {
        const double end = frame / 60.0;
        while (state.time < end) {
            double dt = end - state.time;
            for (const knead::DtLimit& limit : solver->dt_limits(state))
                dt = std::min(dt, limit.dt);
            solver->advance(state, dt);
            state.time += dt;
            ++state.step;
        }
        std::printf("frame %d: %zu particles, %.3f J of elastic energy\n", frame,
                    state.particle_count(), solver->elastic_energy(state));
    }
}
