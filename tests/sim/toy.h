// A solver whose answers are known: particles that fly under gravity, one exact parabola a step.
// It can be told to fail, to stop the run, and to leave numbers that are none.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <thread>

#include "knead/base/error.h"
#include "knead/base/random.h"
#include "knead/mpm/grid/block_key.h"
#include "knead/sim/run.h"

namespace knead::test {

template <class Real>
class ToySolver : public Solver<Real> {
public:
    double dt = 0.0041;                // the limit it states
    double fails_above = 1e30;         // steps longer than this fail ...
    double fails_between[2] = {0, 0};  // ... while the time is in here
    std::int64_t nan_at_step = -1;     // leaves a NaN once the step count is here
    std::int64_t full_at_step = -1;    // has no memory left once the step count is here
    std::function<void()> after_step;  // hooks for stopping
    Vec3d gravity{0, -9.81, 0};

    void prepare(State<Real>& state) override {
        holds_more_ = false;
        for (auto& phase : state.phases)
            if (!phase.particles.hardening.present())
                phase.particles.hardening.create(phase.particles.size(), Real(1));
    }
    std::vector<DtLimit> dt_limits(const State<Real>& state) override {
        // A little different each time, as a function of the state alone.
        const double wobble = 1 + 0.2 * std::sin(13 * state.time);
        return {{"nothing much", 1.0}, {"stiffness of toy", dt * wobble}};
    }
    StepReport advance(State<Real>& state, double step) override {
        holds_more_ = full_at_step >= 0 && state.step >= full_at_step;
        if (holds_more_) throw RunError("the memory is full");
        for (auto& phase : state.phases) {
            auto& p = phase.particles;
            for (std::size_t i = 0; i < p.size(); ++i) {
                const Vec3d v = static_cast<Vec3d>(p.v.vec(i));
                p.x.set(i, p.x.vec(i) + step * v + (0.5 * step * step) * gravity);
                p.v.set(i, static_cast<Vec3<Real>>(v + step * gravity));
            }
        }
        state.totals["travelled"] += step;
        if (after_step) after_step();
        const bool in_window = state.time >= fails_between[0] && state.time < fails_between[1];
        if (step > fails_above && in_window) return {false, "toy stage", "it was told to", 7};
        if (nan_at_step >= 0 && state.step >= nan_at_step)
            state.phases[0].particles.v.at(3, 1) = std::numeric_limits<Real>::quiet_NaN();
        return {};
    }
    // As one that keeps the particles elsewhere: what was not prepared since is written over.
    void fetch(State<Real>& state) override {
        if (holds_more_) state.phases[0].particles.x.at(0, 0) = 1e9;
    }
    double elastic_energy(const State<Real>&) const override { return 0; }
    std::vector<std::pair<std::string, double>> statistics(
        const State<Real>& state) const override {
        const auto found = state.totals.find("travelled");
        return {{"travelled", found == state.totals.end() ? 0 : found->second}};
    }

private:
    bool holds_more_ = false;
};

// One that keeps the particles elsewhere, and remembers them so that frames are read while it goes
// on. Where told to, it leaves a number that is none.
class ToyElsewhere : public ToySolver<float> {
public:
    int read = 0;                       // snapshots
    double breaks_above = 1e30;         // in steps longer than this ...
    double breaks_between[2] = {0, 0};  // ... while the time is in here

    void prepare(State<float>& state) override {
        ToySolver::prepare(state);
        there_ = state.phases;
    }
    StepReport advance(State<float>& state, double step) override {
        std::swap(state.phases, there_);
        const StepReport report = ToySolver::advance(state, step);
        if (step > breaks_above && state.time >= breaks_between[0] &&
            state.time < breaks_between[1])
            state.phases[0].particles.v.at(3, 1) = std::numeric_limits<float>::quiet_NaN();
        std::swap(state.phases, there_);
        return report;
    }
    void fetch(State<float>& state) override { state.phases = there_; }
    bool take_snapshot(State<float>&) override {
        remembered_ = there_;
        return true;
    }
    void read_snapshot(const State<float>&, State<float>& to) override {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        to.phases = remembered_;
        ++read;
    }

private:
    std::vector<Phase<float>> there_, remembered_;
};

// Two phases, 300 particles, positions and velocities from the counter-based generator.
template <class Real>
State<Real> toy_state() {
    State<Real> state;
    state.phases.resize(2);
    for (int k = 0; k < 2; ++k) {
        auto& phase = state.phases[static_cast<std::size_t>(k)];
        const std::size_t n = k == 0 ? 200 : 100;
        phase.material = k;
        auto& p = phase.particles;
        p.id.create(n);
        p.parent.create(n, -1);
        p.body.create(n, k);
        p.x.create(n);
        p.v.create(n);
        p.mass.create(n, Real(0.5));
        p.volume.create(n, Real(0.001));
        for (std::size_t i = 0; i < n; ++i) {
            const auto id = static_cast<std::uint64_t>(state.next_id++);
            p.id.at(i) = static_cast<std::int64_t>(id);
            for (unsigned a = 0; a < 3; ++a) {
                p.x.at(i, static_cast<int>(a)) = random_unit(1, id, a);
                p.v.at(i, static_cast<int>(a)) = Real(random_unit(2, id, a) - 0.5);
            }
        }
        phase.blocks = {{block_key({5, k, 0}), 0, 10},
                        {block_key({9, k, 0}), 10, static_cast<std::int64_t>(n)}};
    }
    return state;
}

inline Model toy_model(int frames) {
    Model model;
    model.title = "toy";
    model.materials.resize(2);
    model.bodies = {{"a", 0, 0.1}, {"b", 1, 0.2}};
    model.time.frame_rate = 24;
    model.time.frames = frames;
    return model;
}

// A folder that is gone at the end of the test.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "knead_XXXXXX").string();
        path_ = mkdtemp(pattern.data());
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

inline std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

inline std::vector<double> numbers_of(const StepMemory& memory) {
    std::vector<double> numbers;
    StepMemory::for_each_member(memory, [&](const char*, const auto& value) {
        numbers.push_back(static_cast<double>(value));
    });
    return numbers;
}

// Every number of two states, bit for bit.
template <class Real>
bool same(const State<Real>& a, const State<Real>& b) {
    bool equal = a.time == b.time && a.step == b.step && a.frame == b.frame &&
                 a.frame_start == b.frame_start && a.frame_start_step == b.frame_start_step &&
                 a.dt_scale == b.dt_scale && numbers_of(a.memory) == numbers_of(b.memory) &&
                 a.next_id == b.next_id && a.totals == b.totals && a.emitted == b.emitted &&
                 a.streams == b.streams && a.sinks == b.sinks &&
                 a.phases.size() == b.phases.size() && a.rigid.size() == b.rigid.size();
    for (std::size_t k = 0; equal && k < a.rigid.size(); ++k)
        equal = std::memcmp(&a.rigid[k], &b.rigid[k], sizeof(RigidState)) == 0;
    for (std::size_t k = 0; equal && k < a.phases.size(); ++k) {
        const auto& p = a.phases[k];
        const auto& q = b.phases[k];
        const auto same_block = [](const BlockRange& m, const BlockRange& n) {
            return m.key == n.key && m.begin == n.begin && m.end == n.end;
        };
        equal = p.material == q.material && p.kind == q.kind &&
                p.elements.corners == q.elements.corners &&
                p.elements.vertex_phase == q.elements.vertex_phase &&
                std::equal(p.blocks.begin(), p.blocks.end(), q.blocks.begin(), q.blocks.end(),
                           same_block);
        std::vector<std::string> columns[2];
        const auto collect = [](std::vector<std::string>& out) {
            return [&out](const ColumnInfo&, const auto& column) {
                using C = std::decay_t<decltype(column)>;
                std::string all = column.present() ? "present" : "absent";
                for (int i = 0; i < C::planes && column.size() > 0; ++i)
                    all.append(reinterpret_cast<const char*>(column.plane(i)),
                               column.size() * sizeof(typename C::Scalar));
                out.push_back(all);
            };
        };
        const auto collect_lists = [](std::vector<std::string>& out) {
            return [&out](const char*, const auto& array) {
                out.emplace_back(reinterpret_cast<const char*>(array.data()),
                                 array.size() * sizeof(array[0]));
            };
        };
        Links<Real>::for_each_column(p.links, collect_lists(columns[0]));
        Links<Real>::for_each_column(q.links, collect_lists(columns[1]));
        Elements<Real>::for_each_column(p.elements, collect_lists(columns[0]));
        Elements<Real>::for_each_column(q.elements, collect_lists(columns[1]));
        p.particles.for_each_column(collect(columns[0]));
        q.particles.for_each_column(collect(columns[1]));
        equal = equal && columns[0] == columns[1];
    }
    return equal;
}

}  // namespace knead::test
