#include <pybind11/stl.h>

#include "errors.h"
#include "knead/base/machine.h"
#include "knead/scene/build_model.h"
#include "knead/scene/read_scene.h"
#include "knead/scene/scene_meshes.h"
#include "module.h"
#include "scene_handle.h"
#include "values.h"

namespace knead::python {

namespace {

SceneHandle handle_of(Reading reading, const std::string& input) {
    if (!reading.mistakes.empty()) throw InputError(std::move(reading.mistakes));
    return {std::move(reading.scene), input};
}

SceneHandle scene_of_file(const std::string& path, const py::object& changes) {
    return handle_of(try_read_scene_and_meshes(path, settings_of(changes)), path);
}

SceneHandle scene_of_text(const std::string& text, const py::object& changes) {
    return handle_of(try_read_scene_text(text, "the scene", settings_of(changes)), "");
}

SceneHandle scene_of_dict(const py::dict& dict, const std::string& folder,
                          const py::object& changes) {
    return handle_of(
        try_read_scene_tree(value_of_dict(dict), "the scene", folder, settings_of(changes)), "");
}

// What a look at the whole scene finds; InputError where it cannot run.
template <class Real>
py::dict examine(const Scene& scene) {
    std::vector<Mistake> warnings;
    std::vector<std::size_t> particles(scene.bodies.size(), 0);
    Estimate cost;
    {
        const py::gil_scoped_release free;
        const Built<Real> built = build_model<Real>(scene);
        warnings = built.warnings;
        cost = built.cost;
        for (const Phase<Real>& phase : built.state.phases)
            for (std::size_t i = 0; i < phase.particles.size(); ++i)
                ++particles[static_cast<std::size_t>(phase.particles.body.at(i))];
    }
    py::dict bodies;
    for (std::size_t b = 0; b < particles.size(); ++b)
        bodies[py::str(scene.bodies[b].name)] = particles[b];
    py::dict out;
    out["warnings"] = tuples_of(warnings);
    out["particles"] = bodies;
    out["memory"] = cost.memory;
    out["disk"] = cost.disk;
    return out;
}

py::dict check(const SceneHandle& handle) {
    return handle.scene.solver.precision == Precision::single ? examine<float>(handle.scene)
                                                              : examine<double>(handle.scene);
}

}  // namespace

void add_scene(py::module_& m) {
    py::class_<SceneHandle>(m, "Scene")
        .def_property_readonly("title", [](const SceneHandle& h) { return h.scene.title; })
        .def_property_readonly("file", [](const SceneHandle& h) { return h.input; })
        .def_property_readonly("frames", [](const SceneHandle& h) { return h.scene.time.frames; })
        .def_property_readonly("frame_rate",
                               [](const SceneHandle& h) { return h.scene.time.frame_rate; })
        .def("warnings", [](const SceneHandle& h) { return tuples_of(h.scene.warnings); })
        .def("to_toml", [](const SceneHandle& h) { return write_scene(h.scene); })
        .def("check", check);
    m.def("scene_of_file", scene_of_file, py::arg("path"), py::arg("changes"));
    m.def("scene_of_text", scene_of_text, py::arg("text"), py::arg("changes"));
    m.def("scene_of_dict", scene_of_dict, py::arg("values"), py::arg("folder"), py::arg("changes"));
}

}  // namespace knead::python
