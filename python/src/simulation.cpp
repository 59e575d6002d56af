#include "simulation.h"

#include <cstring>
#include <optional>
#include <set>

#include "knead/parallel/exec.h"
#include "knead/parallel/sort.h"
#include "knead/scene/build_model.h"
#include "knead/sim/check_state.h"
#include "knead/sim/frame_info.h"
#include "knead/sim/make_solver.h"
#include "knead/sim/runner.h"
#include "scripted.h"

namespace knead::python {

namespace {

template <class S>
constexpr Numbers::Type type_of() {
    if constexpr (std::is_same_v<S, float>) return Numbers::Type::float32;
    if constexpr (std::is_same_v<S, double>) return Numbers::Type::float64;
    if constexpr (std::is_same_v<S, std::int32_t>) return Numbers::Type::int32;
    if constexpr (std::is_same_v<S, std::int64_t>) return Numbers::Type::int64;
}

// Where number k of a row stands among the planes of a column.
template <int planes>
constexpr int plane_of(std::size_t k) {
    constexpr int symmetric[] = {0, 3, 4, 3, 1, 5, 4, 5, 2};  // xx xy xz, yx yy yz, zx zy zz
    return planes == 6 ? symmetric[k] : static_cast<int>(k);
}

// What a column holds where a particle has none: as at rest.
double rest_of(const std::string& name, std::size_t width, std::size_t k) {
    for (const StateInfo& info : state_columns)
        if (name == info.name) return width == 9 && k % 4 != 0 ? 0 : info.rest;
    return 0;
}

template <class Real, class S, int N>
Numbers gathered(const std::vector<Phase<Real>>& phases, const RowsById& rows,
                 const std::string& name, const Column<S, N>&) {
    Numbers out{type_of<S>(), rows.size(), N == 6 ? 9 : N, {}};  // NOLINT(bugprone-branch-clone)
    out.bytes.resize(out.rows * out.width * sizeof(S));
    S* const numbers = reinterpret_cast<S*>(out.bytes.data());
    for (std::size_t i = 0; i < out.rows * out.width; ++i)
        numbers[i] = static_cast<S>(rest_of(name, out.width, i % out.width));
    for (std::size_t p = 0; p < phases.size(); ++p)
        phases[p].particles.for_each_column([&](const ColumnInfo& info, const auto& column) {
            if constexpr (std::is_same_v<std::decay_t<decltype(column)>, Column<S, N>>) {
                if (name != info.name || !column.present() || !rows.has(p)) return;
                for (std::size_t i = 0; i < column.size(); ++i)
                    for (std::size_t k = 0; k < out.width; ++k)
                        numbers[rows.of(p, i) * out.width + k] = column.at(i, plane_of<N>(k));
            }
        });
    return out;
}

template <class Real>
class SimulationOf : public Simulation {
public:
    explicit SimulationOf(SimulationRequest request) : threads_(request.threads) {
        with_threads(threads_, [&] { begin(std::move(request)); });
    }
    ~SimulationOf() override {
        try {
            close();
        } catch (...) {
            // Its report says that it failed.
        }
    }

    bool advance() override {
        bool ended = false;
        work([&] {
            is_writing_ = true;
            ended = runner_->advance();
        });
        rows_.reset();
        return ended;
    }
    void conclude() override {
        work([&] { runner_->conclude(); });
        is_writing_ = false;
    }
    void stop() override {
        work([&] { runner_->stop(); });
        is_writing_ = false;
    }
    void write_frames() override {
        work([&] { runner_->write_frames(); });
    }
    void close() override {
        if (is_writing_ && !has_failed_) stop();
        is_closed_ = true;
        session_.reset();
    }
    void set_last_frame(int frame) override { options_.frames = frame; }

    double time() const override { return state().time; }
    double last_dt() const override { return runner_->last_dt(); }
    int frame() const override { return state().frame; }
    std::int64_t substeps() const override { return state().step; }
    std::size_t particles() const override { return rows().size(); }
    FrameStatistics statistics() const override { return measure(state(), *solver_); }
    FrameStatistics last_statistics() const override { return runner_->last_frame(); }
    Frame make_frame() const override {
        return knead::make_frame(state().phases, frame_info(model_, state()));
    }
    const Model& model() const override { return model_; }

    std::vector<std::string> columns() const override {
        std::set<std::string> there;
        for (const Phase<Real>& phase : state().phases)
            if (phase.kind != PhaseKind::elements)
                phase.particles.for_each_column([&](const ColumnInfo& info, const auto& column) {
                    if (column.present()) there.insert(info.name);
                });
        std::vector<std::string> names;
        Particles<Real>().for_each_column([&](const ColumnInfo& info, const auto&) {
            if (there.contains(info.name)) names.emplace_back(info.name);
        });
        return names;
    }
    Numbers column(const std::string& name) const override {
        Numbers out;
        Particles<Real>().for_each_column([&](const ColumnInfo& info, const auto& column) {
            if (name == info.name) out = gathered(state().phases, rows(), name, column);
        });
        return out;
    }
    void set_velocities(const std::vector<Vec3d>& v) override {
        before_writing();
        write_velocities(state().phases, rows(), v);
        after_writing();
    }
    void set_forces(const std::vector<Vec3d>& f) override {
        mark();
        accelerations_ = accelerations_of(state().phases, rows(), f);
        const auto push = [this](State<Real>& s, double dt) {
            accelerate(s.phases, accelerations_, dt);
        };
        if (f.empty())
            runner_->push_with({});
        else
            runner_->push_with(push);
    }

    std::size_t phase_count() const override { return state().phases.size(); }
    PhaseInfo phase(std::size_t index) const override {
        const Phase<Real>& phase = state().phases.at(index);
        PhaseInfo info{model_.materials.at(static_cast<std::size_t>(phase.material)).name,
                       phase.kind,
                       phase.particles.size(),
                       {}};
        phase.particles.for_each_column([&](const ColumnInfo& column, const auto& c) {
            if (c.present()) info.columns.emplace_back(column.name);
        });
        return info;
    }
    std::vector<Plane> planes(std::size_t index, const std::string& name) override {
        std::vector<Plane> out;
        state().phases.at(index).particles.for_each_column([&](const ColumnInfo& info, auto& c) {
            using C = std::decay_t<decltype(c)>;
            if (name != info.name || !c.present()) return;
            for (int k = 0; k < C::planes; ++k)
                out.push_back({type_of<typename C::Scalar>(), c.plane(k), c.size()});
        });
        return out;
    }
    void before_writing() override {
        mark();
        runner_->write_frames();
    }
    void after_writing() override { state().memory.max_speed = -1; }

private:
    struct Listener : RunObserver {
        explicit Listener(std::vector<std::string>& heard) : texts(heard) {}
        void trouble(const std::string& text) override { texts.push_back(text); }
        std::vector<std::string>& texts;
    };

    State<Real>& state() const { return runner_->state(); }
    const RowsById& rows() const {
        if (!rows_) rows_.emplace(state().phases);
        return *rows_;
    }

    void begin(SimulationRequest request) {
        Built<Real> built = build_model<Real>(request.scene);
        warnings = std::move(built.warnings);
        model_ = std::move(built.model);
        options_.frames = model_.time.frames;
        solver_ = make_solver<Real>(model_, Backend::cpu);
        std::optional<Checkpoint<Real>> checkpoint;
        if (!request.folder.empty()) checkpoint = open_folder(std::move(request));
        if (session_) folder_ = session_->folder();
        runner_ = std::make_unique<Runner<Real>>(
            model_, checkpoint ? std::move(checkpoint->state) : std::move(built.state), *solver_,
            folder_, options_, listener_);
        is_writing_ = true;
        if (checkpoint)
            runner_->begin_at(checkpoint->file, std::move(checkpoint->frame_start));
        else
            runner_->begin();
    }

    std::optional<Checkpoint<Real>> open_folder(SimulationRequest request) {
        session_.emplace(RunRequest{std::move(request.scene), std::move(request.input),
                                    std::move(request.folder), request.existing});
        const auto check = [&](const Checkpoint<Real>& c) {
            check_checkpoint(model_, c, *solver_);
        };
        const auto warn = [&](const std::string& text) { troubles.push_back(text); };
        auto checkpoint = session_->begin<Real>(warn, check);
        session_->folder().create();
        options_.model_hash = session_->hash();
        if (checkpoint) {
            options_.changes = read_changes(session_->folder().report());
            options_.scripted = was_scripted(session_->folder().report());
        }
        return checkpoint;
    }

    // From here on the run is a program's as well.
    void mark() {
        if (std::exchange(options_.scripted, true)) return;
        work([&] { runner_->report(); });
    }

    // On its own threads; a run that failed stays so.
    template <class Work>
    void work(const Work& some_work) {
        if (is_closed_)
            throw InputError({}, "this Sim is closed", "make another; resume=True goes on");
        if (has_failed_) throw RunError("this run has failed before: " + failure_);
        try {
            with_threads(threads_, some_work);
        } catch (const std::exception& error) {
            has_failed_ = true;
            failure_ = error.what();
            throw;
        }
    }

    int threads_;
    Listener listener_{troubles};
    Model model_;
    RunOptions options_;
    RunFolder folder_{""};
    std::unique_ptr<Solver<Real>> solver_;
    std::optional<RunSession> session_;
    std::unique_ptr<Runner<Real>> runner_;
    mutable std::optional<RowsById> rows_;
    std::vector<Vec3d> accelerations_;  // by id [m/s2]
    bool is_writing_ = false;           // a folder's files are not whole
    bool has_failed_ = false, is_closed_ = false;
    std::string failure_;
};

}  // namespace

std::shared_ptr<Simulation> make_simulation(SimulationRequest request) {
    if (request.scene.solver.precision == Precision::single)
        return std::make_shared<SimulationOf<float>>(std::move(request));
    return std::make_shared<SimulationOf<double>>(std::move(request));
}

}  // namespace knead::python
