#include "numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace knead::python {

py::dtype dtype_of(Numbers::Type type) {
    switch (type) {
        case Numbers::Type::float32:
            return py::dtype::of<float>();
        case Numbers::Type::float64:
            return py::dtype::of<double>();
        case Numbers::Type::int32:
            return py::dtype::of<std::int32_t>();
        case Numbers::Type::int64:
            return py::dtype::of<std::int64_t>();
    }
    throw std::logic_error("a type of numbers without a name");
}

py::array array_of(const Numbers& numbers) {
    std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(numbers.rows)};
    if (numbers.width == 3) shape.push_back(3);
    if (numbers.width == 9) shape.insert(shape.end(), {3, 3});
    py::array out(dtype_of(numbers.type), shape);
    std::memcpy(out.mutable_data(), numbers.bytes.data(), numbers.bytes.size());
    return out;
}

py::array array_of(const std::vector<Vec3f>& rows) {
    py::array_t<float> out({static_cast<py::ssize_t>(rows.size()), py::ssize_t{3}});
    std::memcpy(out.mutable_data(), rows.data(), rows.size() * sizeof(Vec3f));
    return out;
}

std::vector<Vec3d> vectors_of(const py::object& given, std::size_t rows, const std::string& name) {
    const py::array array = py::module_::import("numpy").attr("asarray")(given);
    const char kind = array.dtype().kind();
    if (kind != 'f' && kind != 'i' && kind != 'u')
        throw py::type_error(fmt::format("{} takes real numbers, and this array has the dtype {}",
                                         name, py::cast<std::string>(py::str(array.dtype()))));
    if (array.ndim() != 2 || array.shape(0) != static_cast<py::ssize_t>(rows) ||
        array.shape(1) != 3)
        throw py::value_error(fmt::format(
            "{} takes an array of the shape ({}, 3), one row a particle by id, and this "
            "one has the shape {}",
            name, rows, py::cast<std::string>(py::str(array.attr("shape")))));
    const auto numbers = py::array_t<double, py::array::c_style | py::array::forcecast>(array);
    std::vector<Vec3d> out(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        const double* a = numbers.data(static_cast<py::ssize_t>(i), 0);
        out[i] = {a[0], a[1], a[2]};
        if (!std::isfinite(a[0]) || !std::isfinite(a[1]) || !std::isfinite(a[2]))
            throw py::value_error(fmt::format("{}: row {} holds a number that is none", name, i));
    }
    return out;
}

}  // namespace knead::python
