// Python's dicts, lists and numbers as the values that scenes are made of.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "knead/scene/value.h"

namespace knead::python {

namespace py = pybind11;

// Every value's place is where it stands in the dict, as in bodies[0].material. InputError where
// there is something that no scene can hold.
Value value_of_dict(const py::dict& dict);

// {"solver.dx": 0.01} as settings, "solver.dx=0.01".
std::vector<std::string> settings_of(const py::object& changes);

}  // namespace knead::python
