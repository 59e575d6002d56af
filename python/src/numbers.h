// Arrays of NumPy from our numbers and back.
#pragma once

#include <pybind11/numpy.h>

#include <string>
#include <vector>

#include "simulation.h"

namespace knead::python {

namespace py = pybind11;

py::dtype dtype_of(Numbers::Type type);

// A copy: one number, three or nine (a 3 x 3 matrix) a row.
py::array array_of(const Numbers& numbers);
template <class T>
py::array array_of(const std::vector<T>& numbers) {
    return py::array_t<T>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
}
// One row each.
py::array array_of(const std::vector<Vec3f>& rows);

// One vector a row, from an array of the shape (rows, 3). A TypeError where it holds no real
// numbers, a ValueError where the shape is another or a number is none; `name` is what it is for.
std::vector<Vec3d> vectors_of(const py::object& array, std::size_t rows, const std::string& name);

}  // namespace knead::python
