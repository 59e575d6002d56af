// Surfaces and pictures of frames.
#include <pybind11/stl.h>

#include <cstring>

#include "errors.h"
#include "frame_handle.h"
#include "knead/io/image.h"
#include "knead/io/ply.h"
#include "knead/picture/picture_scene.h"
#include "knead/render/render_frame.h"
#include "knead/surface/skin.h"
#include "module.h"
#include "numbers.h"

namespace knead::python {

namespace {

SurfaceMesh skin(const FrameHandle& frame, double voxel, int smooth, double adaptivity,
                 bool together, std::vector<std::string> columns) {
    if (!(voxel >= 0)) throw py::value_error("voxel must not be negative; 0: half a spacing");
    if (smooth < 0 || smooth > 1000) throw py::value_error("smooth must be between 0 and 1000");
    if (!(adaptivity >= 0 && adaptivity <= 1))
        throw py::value_error("adaptivity must be between 0 and 1");
    SkinSettings settings;
    settings.voxel = voxel;
    settings.smooth = smooth;
    settings.adaptivity = adaptivity;
    settings.together = together;
    settings.columns = std::move(columns);
    const py::gil_scoped_release free;
    return skin_frame(*frame.frame, settings);
}

py::array faces_of(const SurfaceMesh& mesh) {
    py::array_t<std::int32_t> out({static_cast<py::ssize_t>(mesh.faces.size()), py::ssize_t{3}});
    std::memcpy(out.mutable_data(), mesh.faces.data(),
                mesh.faces.size() * 3 * sizeof(std::int32_t));
    return out;
}

py::array column_of(const SurfaceMesh& mesh, const std::string& name) {
    std::vector<std::string> names;
    for (const FrameColumn& c : mesh.columns) {
        if (c.name == name && c.is_integer())
            return array_of(std::get<std::vector<std::int32_t>>(c.values));
        if (c.name == name) return array_of(std::get<std::vector<float>>(c.values));
        names.push_back(c.name);
    }
    no_such_name("column", name, names);
}

py::array image_of(const Image& image) {
    py::array_t<std::uint8_t> out(
        {py::ssize_t{image.height}, py::ssize_t{image.width}, py::ssize_t{3}});
    std::memcpy(out.mutable_data(), image.rgb.data(), image.rgb.size());
    return out;
}

py::array draw(const std::string& folder, const std::string& file, const std::string& mode,
               const std::string& color_by, std::optional<std::pair<double, double>> range,
               int width, int height, int samples,
               std::optional<std::array<double, 3>> camera_position,
               std::optional<std::array<double, 3>> camera_target) {
    const auto side = [](int n) { return n == 0 || (n >= 8 && n <= 16384); };
    if (!side(width) || !side(height))
        throw py::value_error("width and height must be between 8 and 16384 pixels");
    if (samples < 0 || samples > 65536)
        throw py::value_error("samples must be between 1 and 65536");
    const auto point = [](const std::optional<std::array<double, 3>>& a) {
        return a ? std::optional(Vec3d{(*a)[0], (*a)[1], (*a)[2]}) : std::nullopt;
    };
    PictureOptions options;
    options.mode = mode == "surface"  ? DrawMode::surface
                   : mode == "points" ? DrawMode::points
                                      : DrawMode::by_body;
    options.color_by = color_by;
    options.range = range;
    options.camera_position = point(camera_position);
    options.camera_target = point(camera_target);
    Image image;
    {
        const py::gil_scoped_release free;
        const RunView run(folder);
        render::Look look = look_of(run);
        if (width > 0) look.width = width;
        if (height > 0) look.height = height;
        if (samples > 0) look.samples = samples;
        image = render::render_frame(PictureMaker(run, options, look).scene_of(file));
    }
    return image_of(image);
}

void save_png(const std::string& path,
              const py::array_t<std::uint8_t, py::array::c_style>& pixels) {
    if (pixels.ndim() != 3 || pixels.shape(2) != 3 || pixels.size() == 0)
        throw py::value_error("a picture is an array of the shape (height, width, 3)");
    Image image(static_cast<int>(pixels.shape(1)), static_cast<int>(pixels.shape(0)));
    std::memcpy(image.rgb.data(), pixels.data(), image.rgb.size());
    const py::gil_scoped_release free;
    write_png(path, image);
}

}  // namespace

void add_pictures(py::module_& m) {
    py::class_<SurfaceMesh>(m, "Surface")
        .def_readonly("frame", &SurfaceMesh::frame)
        .def_readonly("time", &SurfaceMesh::time)
        .def("positions", [](const SurfaceMesh& s) { return array_of(s.positions); })
        .def("normals", [](const SurfaceMesh& s) { return array_of(s.normals); })
        .def("body", [](const SurfaceMesh& s) { return array_of(s.body); })
        .def("faces", faces_of)
        .def("column", column_of, py::arg("name"))
        .def(
            "save",
            [](const SurfaceMesh& s, const std::string& path) {
                const py::gil_scoped_release free;
                write_ply(path, s);
            },
            py::arg("path"));
    m.def("skin", skin, py::arg("frame"), py::arg("voxel"), py::arg("smooth"),
          py::arg("adaptivity"), py::arg("together"), py::arg("columns"));
    m.def("draw", draw, py::arg("folder"), py::arg("file"), py::arg("mode"), py::arg("color_by"),
          py::arg("range"), py::arg("width"), py::arg("height"), py::arg("samples"),
          py::arg("camera_position"), py::arg("camera_target"));
    m.def("save_png", save_png, py::arg("path"), py::arg("pixels"));
}

}  // namespace knead::python
