// Frames and runs on disk.
#include <pybind11/stl.h>

#include <algorithm>

#include "errors.h"
#include "frame_handle.h"
#include "knead/io/frame_reader.h"
#include "knead/io/frame_writer.h"
#include "knead/sim/run_folder.h"
#include "knead/sim/stats_file.h"
#include "module.h"
#include "numbers.h"

namespace knead::python {

namespace {

// The columns of a file that make up one of ours: x, y, z are the position, vx, vy, vz the
// velocity; others end in _x, _y, _z or in _xx, _xy, ...
std::vector<std::string> parts_of(const std::string& name, const Frame& frame) {
    if (name == "x") return {"x", "y", "z"};
    if (name == "v") return {"vx", "vy", "vz"};
    std::vector<std::string> parts;
    for (const char* end : {"_x", "_y", "_z"})
        if (frame.find(name + end)) parts.push_back(name + end);
    return parts.size() == 3 ? parts : std::vector<std::string>{name};
}

std::vector<std::string> names_in(const Frame& frame) {
    std::vector<std::string> names{"x", "v"};
    for (const FrameColumn& c : frame.columns) {
        const auto is_part = [&](const std::string& of) {
            const auto parts = parts_of(of, frame);
            return std::find(parts.begin(), parts.end(), c.name) != parts.end();
        };
        const std::string stem = c.name.substr(0, std::max<std::size_t>(c.name.size(), 2) - 2);
        if (is_part("x") || is_part("v")) continue;
        if (parts_of(stem, frame).size() == 3 && is_part(stem)) {
            if (names.back() != stem) names.push_back(stem);
        } else {
            names.push_back(c.name);
        }
    }
    return names;
}

py::array column(const FrameHandle& handle, const std::string& name) {
    const Frame& frame = *handle.frame;
    const auto parts = parts_of(name, frame);
    for (const std::string& part : parts)
        if (!frame.find(part) || name == "y" || name == "z" || name == "vx" || name == "vy" ||
            name == "vz")
            no_such_name("column", name, names_in(frame));
    if (parts.size() == 1) {
        const FrameColumn& c = frame.column(name);
        if (c.is_integer()) return array_of(std::get<std::vector<std::int32_t>>(c.values));
        return array_of(std::get<std::vector<float>>(c.values));
    }
    return array_of(frame.vectors(parts[0], parts[1], parts[2]));
}

template <std::size_t N>
py::array corners_of(const FrameElements<N>& elements) {
    py::array_t<std::int32_t> out(
        {static_cast<py::ssize_t>(elements.size()), static_cast<py::ssize_t>(N)});
    for (std::size_t i = 0; i < elements.size(); ++i)
        for (std::size_t k = 0; k < N; ++k)
            out.mutable_at(static_cast<py::ssize_t>(i), static_cast<py::ssize_t>(k)) =
                elements.corners[i][k];
    return out;
}

FrameHandle read(const std::string& path) {
    const py::gil_scoped_release free;
    return {std::make_shared<const Frame>(read_frame(path)), path};
}

// Name to an array with a number a frame.
py::dict stats_in(const std::string& folder) {
    const StatsTable table = read_stats(RunFolder(folder).stats());
    py::dict out;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        std::vector<double> column;
        for (const auto& row : table.rows) column.push_back(row[c]);
        out[py::str(table.columns[c])] = array_of(column);
    }
    return out;
}

std::vector<std::string> frames_in(const std::string& folder) {
    const RunFolder run(folder);
    if (!run.holds_a_run())
        throw InputError({folder}, "no run in this folder",
                         "knead.Sim(scene, out=...) or `knead run SCENE` makes one");
    return run.frame_files();
}

}  // namespace

void add_frames(py::module_& m) {
    py::class_<FrameHandle>(m, "Frame")
        .def_property_readonly("number", [](const FrameHandle& f) { return f.frame->frame; })
        .def_property_readonly("time", [](const FrameHandle& f) { return f.frame->time; })
        .def_property_readonly("file", [](const FrameHandle& f) { return f.file; })
        .def("__len__", [](const FrameHandle& f) { return f.frame->count; })
        .def("columns", [](const FrameHandle& f) { return names_in(*f.frame); })
        .def("column", column, py::arg("name"))
        .def("triangles", [](const FrameHandle& f) { return corners_of(f.frame->triangles); })
        .def("segments", [](const FrameHandle& f) { return corners_of(f.frame->segments); })
        .def(
            "save",
            [](const FrameHandle& f, const std::string& path) {
                const py::gil_scoped_release free;
                write_frame(path, *f.frame);
            },
            py::arg("path"));
    m.def("read_frame", read, py::arg("path"));
    m.def("frame_number", frame_number, py::arg("path"));
    m.def("frames_in", frames_in, py::arg("folder"));
    m.def("stats_in", stats_in, py::arg("folder"));
    m.def(
        "status_of", [](const std::string& folder) { return RunFolder(folder).status(); },
        py::arg("folder"));
}

}  // namespace knead::python
