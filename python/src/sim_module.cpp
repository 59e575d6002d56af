// knead._knead.Sim: a simulation with Python's lock. It is free while knead works, and callbacks
// are called between substeps.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <chrono>
#include <optional>

#include "errors.h"
#include "frame_handle.h"
#include "knead/sim/stats_file.h"
#include "module.h"
#include "numbers.h"
#include "scene_handle.h"
#include "simulation.h"

namespace knead::python {

namespace {

// How often a loop without callbacks asks whether Ctrl-C was pressed.
constexpr auto between_signals = std::chrono::milliseconds(20);

// A claim on memory that a step would move, while it lives.
struct Claim {
    explicit Claim(std::shared_ptr<Simulation> of) : sim(std::move(of)) { ++sim->views; }
    ~Claim() { --sim->views; }
    Claim(const Claim&) = delete;
    std::shared_ptr<Simulation> sim;
};

// A borrow as long as its with-block lasts.
struct Borrow {
    std::optional<Claim> claim;
    bool writes = false;
};

struct PhaseHandle {
    std::shared_ptr<Borrow> borrow;
    std::size_t index = 0;

    const std::shared_ptr<Simulation>& sim() const {
        if (!borrow->claim)
            throw py::value_error("this borrow has ended; sim.borrow() gives another");
        return borrow->claim->sim;
    }
    // An array over each plane, which keeps the simulation and counts as a view.
    py::tuple planes(const std::string& name) const {
        const std::vector<Plane> planes = sim()->planes(index, name);
        if (planes.empty()) no_such_name("column", name, sim()->phase(index).columns);
        py::tuple out(planes.size());
        for (std::size_t k = 0; k < planes.size(); ++k) {
            const py::capsule base(new Claim(sim()),
                                   [](void* claim) { delete static_cast<Claim*>(claim); });
            py::array view(dtype_of(planes[k].type), {static_cast<py::ssize_t>(planes[k].size)}, {},
                           planes[k].data, base);
            if (!borrow->writes || name != "v") view.attr("setflags")(false);
            out[k] = view;
        }
        return out;
    }
};

class SimHandle {
public:
    SimHandle(const SceneHandle& scene, const std::string& folder, const std::string& existing,
              int threads) {
        if (threads < 0) throw py::value_error("threads must not be negative; 0 means all cores");
        SimulationRequest request{scene.scene, scene.input, folder,
                                  existing == "resume"      ? Existing::resume
                                  : existing == "overwrite" ? Existing::overwrite
                                                            : Existing::refuse,
                                  threads};
        const py::gil_scoped_release free;
        sim_ = make_simulation(std::move(request));
    }
    ~SimHandle() {  // NOLINT(bugprone-exception-escape): pybind11 ends the program then
        const py::gil_scoped_release free;
        sim_.reset();
    }

    // Where nobody else is at work on it.
    Simulation& sim() const {
        if (at_work_)
            throw std::runtime_error("another thread steps this Sim; wait until it is done");
        return *sim_;
    }

    // A substep, or all to the end of the frame; true: the frame is complete.
    bool advance(bool whole_frame, const py::object& on_substep) {
        if (is_running_)
            throw std::runtime_error(
                "this Sim is stepped already: a callback cannot step it, nor "
                "can another thread");
        const Mark running(is_running_);
        for (;;) {
            require_no_views();
            const bool ended = advance_quietly(whole_frame && on_substep.is_none());
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            if (!on_substep.is_none()) on_substep();
            if (ended || !whole_frame) return ended;
        }
    }
    void conclude() {
        freely([&] { sim_->conclude(); });
    }
    void stop() {
        freely([&] { sim_->stop(); });
    }
    void write_frames() {
        freely([&] { sim_->write_frames(); });
    }
    void close() {
        freely([&] { sim_->close(); });
    }

    std::shared_ptr<Borrow> borrow(bool writes) {
        sim();
        if (writes) freely([&] { sim_->before_writing(); });
        auto borrow = std::make_shared<Borrow>();
        borrow->claim.emplace(sim_);
        borrow->writes = writes;
        return borrow;
    }

private:
    struct Mark {  // true while it lives
        explicit Mark(std::atomic<bool>& on) : flag(on) { flag = true; }
        ~Mark() { flag = false; }
        std::atomic<bool>& flag;
    };

    void require_no_views() const {
        if (sim_->views == 0) return;
        throw py::buffer_error(
            fmt::format("a step would move the memory of {} borrowed views that are still alive; "
                        "leave the with-block and delete them, or copy what is to be kept",
                        sim_->views.load()));
    }

    template <class Work>
    void freely(const Work& work) {
        sim();
        const py::gil_scoped_release free;
        work();
    }

    bool advance_quietly(bool whole_frame) {
        sim();
        const Mark at_work(at_work_);
        const py::gil_scoped_release free;
        const auto start = std::chrono::steady_clock::now();
        bool ended = false;
        do ended = sim_->advance();
        while (whole_frame && !ended && std::chrono::steady_clock::now() - start < between_signals);
        return ended;
    }

    std::shared_ptr<Simulation> sim_;
    std::atomic<bool> is_running_ = false;  // in advance, callbacks included
    std::atomic<bool> at_work_ = false;     // without Python's lock
};

py::object column(const SimHandle& handle, const std::string& name) {
    const Simulation& sim = handle.sim();
    const auto names = sim.columns();
    if (std::find(names.begin(), names.end(), name) == names.end())
        no_such_name("column", name, names);
    return array_of(sim.column(name));
}

py::dict stats_dict(const FrameStatistics& row) {
    py::dict out;
    for (const auto& [name, value] : stats_row(row)) out[py::str(name)] = value;
    return out;
}

FrameHandle current_frame(const SimHandle& handle) {
    return {std::make_shared<const Frame>(handle.sim().make_frame()), ""};
}

void add_phases(py::module_& m) {
    py::class_<Borrow, std::shared_ptr<Borrow>>(m, "Borrow")
        .def("phases",
             [](const std::shared_ptr<Borrow>& b) {
                 py::list out;
                 for (std::size_t p = 0; b->claim && p < b->claim->sim->phase_count(); ++p)
                     out.append(PhaseHandle{b, p});
                 return out;
             })
        .def("end", [](Borrow& b) {
            if (b.claim && b.writes) b.claim->sim->after_writing();
            b.claim.reset();
        });
    py::class_<PhaseHandle>(m, "Phase")
        .def_property_readonly(
            "material", [](const PhaseHandle& p) { return p.sim()->phase(p.index).material; })
        .def_property_readonly("kind",
                               [](const PhaseHandle& p) {
                                   const PhaseKind kind = p.sim()->phase(p.index).kind;
                                   return kind == PhaseKind::volume     ? "volume"
                                          : kind == PhaseKind::vertices ? "vertices"
                                                                        : "elements";
                               })
        .def_property_readonly("columns",
                               [](const PhaseHandle& p) { return p.sim()->phase(p.index).columns; })
        .def("__len__", [](const PhaseHandle& p) { return p.sim()->phase(p.index).size; })
        .def("planes", &PhaseHandle::planes, py::arg("name"));
}

}  // namespace

void add_sim(py::module_& m) {
    add_phases(m);
    py::class_<SimHandle>(m, "Sim")
        .def(py::init<const SceneHandle&, const std::string&, const std::string&, int>(),
             py::arg("scene"), py::arg("folder"), py::arg("existing"), py::arg("threads"))
        .def("advance", &SimHandle::advance, py::arg("whole_frame"), py::arg("on_substep"))
        .def("conclude", &SimHandle::conclude)
        .def("stop", &SimHandle::stop)
        .def("close", &SimHandle::close)
        .def("write_frames", &SimHandle::write_frames)
        .def(
            "set_last_frame", [](SimHandle& s, int frame) { s.sim().set_last_frame(frame); },
            py::arg("frame"))
        .def_property_readonly("time", [](const SimHandle& s) { return s.sim().time(); })
        .def_property_readonly("dt", [](const SimHandle& s) { return s.sim().last_dt(); })
        .def_property_readonly("frame", [](const SimHandle& s) { return s.sim().frame(); })
        .def_property_readonly("substeps", [](const SimHandle& s) { return s.sim().substeps(); })
        .def_property_readonly("particles", [](const SimHandle& s) { return s.sim().particles(); })
        .def("stats", [](const SimHandle& s) { return stats_dict(s.sim().statistics()); })
        .def("last_stats", [](const SimHandle& s) { return stats_dict(s.sim().last_statistics()); })
        .def("current_frame", current_frame)
        .def("columns", [](const SimHandle& s) { return s.sim().columns(); })
        .def("column", column, py::arg("name"))
        .def(
            "set_velocities",
            [](SimHandle& s, const py::object& v) {
                s.sim().set_velocities(vectors_of(v, s.sim().particles(), "v"));
            },
            py::arg("v"))
        .def(
            "set_forces",
            [](SimHandle& s, const py::object& f) {
                s.sim().set_forces(f.is_none() ? std::vector<Vec3d>{}
                                               : vectors_of(f, s.sim().particles(), "force"));
            },
            py::arg("force"))
        .def("borrow", &SimHandle::borrow, py::arg("write"))
        .def("warnings", [](const SimHandle& s) { return tuples_of(s.sim().warnings); })
        .def("take_troubles", [](SimHandle& s) { return std::exchange(s.sim().troubles, {}); });
}

}  // namespace knead::python
