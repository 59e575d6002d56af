// Checkpoints whose bytes are right and whose contents are not. Every number of a real run's state
// is changed in turn; what is taken must survive a step, the rest must be refused with its file.
#include "knead/sim/check_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "knead/base/error.h"
#include "knead/geometry/sdf_build.h"
#include "knead/materials/presets.h"
#include "knead/sim/make_solver.h"
#include "sim/toy.h"

namespace knead::test {
namespace {

// A small block of each of two materials, gripped where the method can, above a floor.
Model small_model(Method method) {
    Model model;
    model.materials = {*find_preset("jelly"), *find_preset("clay")};
    model.bodies = {{"a", 0, 0.05}, {"b", 1, 0.05}};
    model.colliders.push_back(
        {"floor", sdf::plane({0, -1, 0}, {0, 1, 0}), {}, Contact::separate, 0.5, {}});
    if (method == Method::mpm) {
        model.settings = MpmSettings{};
        std::get<MpmSettings>(model.settings).dx = 0.1;
    } else if (method == Method::incremental) {
        model.settings = IncrementalSettings{};
        std::get<IncrementalSettings>(model.settings).spacing = 0.05;
    } else {
        model.settings = EmbeddedSettings{};
        std::get<EmbeddedSettings>(model.settings).spacing = 0.05;
    }
    model.dx = 0.1;
    model.grips.push_back({"hand", sdf::sphere({0, 0, 0}, 0.08), {}, 1.0});
    return model;
}

State<float> small_state(const Model& model, Solver<float>& solver) {
    State<float> state;
    state.phases.resize(2);
    for (int k = 0; k < 2; ++k) {
        Phase<float>& phase = state.phases[static_cast<std::size_t>(k)];
        phase.material = k;
        Particles<float>& p = phase.particles;
        const std::size_t n = 64;
        p.id.create(n), p.parent.create(n, -1), p.body.create(n, k), p.x.create(n);
        p.v.create(n, 0.1f), p.volume.create(n, 0.05f * 0.05f * 0.05f);
        const double density = model.materials[static_cast<std::size_t>(k)].density;
        p.mass.create(n, static_cast<float>(density) * 0.05f * 0.05f * 0.05f);
        for (std::size_t i = 0; i < n; ++i) {
            p.id.at(i) = state.next_id++;
            const auto j = static_cast<int>(i);
            p.x.set(i, Vec3d{0.05 * (j % 4) + k, 0.05 * (j / 4 % 4), 0.05 * (j / 16)});
        }
    }
    solver.prepare(state);
    for (int step = 0; step < 3; ++step) {
        EXPECT_TRUE(solver.advance(state, 1e-5).ok);
        ++state.step;
        state.time += 1e-5;
    }
    return state;
}

bool is_refused(const Model& model, const State<float>& state, Solver<float>& solver) {
    try {
        check_checkpoint(model, Checkpoint<float>{state, {}, "here.h5"}, solver);
        return false;
    } catch (const InputError& error) {
        EXPECT_EQ(error.mistakes().front().place.file, "here.h5");
        return true;
    }
}

// One of the numbers of a state, and how to change it.
using Change = std::function<void(State<float>&)>;

std::vector<double> odd_values() {
    const double inf = std::numeric_limits<double>::infinity();
    return {-1, 0, 1, 33, 1e9, -1e9, 1e18, inf, std::nan("")};
}

template <class T>
T as(double value) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value);
    if (!std::isfinite(value)) return std::numeric_limits<T>::max();
    return static_cast<T>(std::min(1e9, std::max(-1e9, value)));
}

std::vector<Change> changes_of_numbers(double value) {
    std::vector<Change> list{
        [=](auto& s) { s.time = value; },
        [=](auto& s) { s.step = as<std::int64_t>(value); },
        [=](auto& s) { s.frame = as<int>(value); },
        [=](auto& s) { s.frame_start = value; },
        [=](auto& s) { s.dt_scale = value; },
        [=](auto& s) { s.next_id = as<std::int64_t>(value); },
        [=](auto& s) { s.frame_start_step = as<std::int64_t>(value); },
        [=](auto& s) { s.totals["a"] = value; },
        [=](auto& s) { s.emitted = {as<std::int64_t>(value)}; },
        [=](auto& s) {
            s.streams = {{value, -1}};
        },
        [=](auto& s) { s.sinks = {value}; },
        [=](auto& s) { s.rigid.assign(1, RigidState{}), s.rigid[0].pose.position.x = value; },
        [=](auto& s) { s.rigid.resize(5); },
        [=](auto& s) { s.kicks.dt = value; },
        [=](auto& s) {
            s.kicks.blocks = {as<std::int32_t>(value), 0, 0};
        },
        [=](auto& s) { s.kicks.speeds = {as<float>(value)}; },
        [=](auto& s) { s.phases[1].material = as<int>(value); },
        [=](auto& s) { s.phases[0].blocks.resize(2); }};
    for (int member = 0; member < 8; ++member)
        list.push_back([=](auto& s) {
            int k = 0;
            StepMemory::for_each_member(s.memory, [&](const char*, auto& m) {
                if (k++ == member) m = as<std::decay_t<decltype(m)>>(value);
            });
        });
    for (int part = 0; part < 3; ++part)
        list.push_back([=](auto& s) {
            if (s.phases[0].blocks.empty()) return;
            BlockRange& b = s.phases[0].blocks.front();
            (part == 0 ? b.key : part == 1 ? b.begin : b.end) = as<std::int64_t>(value);
        });
    return list;
}

// Every column of particles and links: one number changed, the whole cut short, or taken away.
std::vector<Change> changes_of_columns(double value) {
    std::vector<Change> list;
    for (int which = 0; which < 26; ++which)
        for (int how = 0; how < 3; ++how)
            list.push_back([=](State<float>& s) {
                int k = 0;
                s.phases[0].particles.for_each_column([&](const ColumnInfo&, auto& column) {
                    using C = std::decay_t<decltype(column)>;
                    if (k++ != which || !column.present()) return;
                    if (how == 0) column.at(7) = as<typename C::Scalar>(value);
                    if (how == 1 && which > 0) column.resize(column.size() / 2);
                    if (how == 2 && which > 0) column = C();
                });
            });
    for (int which = 0; which < 5; ++which)
        for (int how = 0; how < 2; ++how)
            list.push_back([=](State<float>& s) {
                int k = 0;
                Links<float>::for_each_column(s.phases[0].links, [&](const char*, auto& array) {
                    if (k++ != which || array.size() == 0) return;
                    using T = std::decay_t<decltype(array[0])>;
                    if (how == 0) array[9] = as<T>(value);
                    if (how == 1) array.resize(array.size() - 1);
                });
            });
    return list;
}

class Corrupted : public ::testing::TestWithParam<Method> {};

TEST_P(Corrupted, AStateOfARunIsTaken) {
    const Model model = small_model(GetParam());
    const auto solver = make_solver<float>(model, Backend::cpu);
    EXPECT_FALSE(is_refused(model, small_state(model, *solver), *solver));
}

TEST_P(Corrupted, ContentsAreRefusedOrSurviveAStep) {
    const Model model = small_model(GetParam());
    const auto solver = make_solver<float>(model, Backend::cpu);
    const State<float> good = small_state(model, *solver);
    int refused = 0, taken = 0;
    for (const double value : odd_values())
        for (const auto& changes : {changes_of_numbers(value), changes_of_columns(value)})
            for (const Change& change : changes) {
                State<float> state = good;
                change(state);
                if (is_refused(model, state, *solver)) {
                    ++refused;
                    continue;
                }
                ++taken;
                try {
                    solver->prepare(state);
                    solver->dt_limits(state);
                    solver->advance(state, 1e-6);
                } catch (const RunError&) {
                    // says what is wrong itself
                }
            }
    EXPECT_GT(refused, 300);
    EXPECT_GT(taken, 50);
}

INSTANTIATE_TEST_SUITE_P(Methods, Corrupted,
                         ::testing::Values(Method::mpm, Method::incremental, Method::embedded));

TEST(CheckState, EveryIndexIsLookedAt) {
    const Model model = small_model(Method::embedded);
    const auto solver = make_solver<float>(model, Backend::cpu);
    const State<float> good = small_state(model, *solver);
    const std::vector<Change> wrong{
        [](auto& s) { s.phases[0].particles.body.at(3) = 1; },
        [](auto& s) { s.phases[0].particles.body.at(3) = -1; },
        [](auto& s) { s.phases[0].particles.grip.at(3) = 1; },
        [](auto& s) { s.phases[0].particles.grip.at(3) = -2; },
        [](auto& s) { s.phases[0].particles.id.at(3) = s.phases[0].particles.id.at(4); },
        [](auto& s) { s.phases[0].links.count[3] = 33; },
        [](auto& s) { s.phases[0].links.to[3] = 64; },
        [](auto& s) { s.phases[0].links = {}; },
        [](auto& s) { s.phases[1].material = 0; },
        [](auto& s) { s.phases[1].material = 2; },
        [](auto& s) { s.rigid.resize(2); },
        [](auto& s) {
            s.phases[0].blocks = {{0, 0, 64}};
        },
    };
    for (std::size_t i = 0; i < wrong.size(); ++i) {
        State<float> state = good;
        wrong[i](state);
        EXPECT_TRUE(is_refused(model, state, *solver)) << i;
    }
}

TEST(CheckState, AFrameInProgressIsLookedAtToo) {
    const Model model = small_model(Method::mpm);
    const auto solver = make_solver<float>(model, Backend::cpu);
    const State<float> good = small_state(model, *solver);
    Checkpoint<float> checkpoint{good, good, "here.h5"};
    EXPECT_NO_THROW(check_checkpoint(model, checkpoint, *solver));
    checkpoint.frame_start->phases[0].blocks[0].end = 1000000;
    EXPECT_THROW(check_checkpoint(model, checkpoint, *solver), InputError);
}

}  // namespace
}  // namespace knead::test
