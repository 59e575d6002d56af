// The parts of the module.
#pragma once

#include <pybind11/pybind11.h>

namespace knead::python {

void add_scene(pybind11::module_& m);
void add_sim(pybind11::module_& m);
void add_frames(pybind11::module_& m);
void add_materials(pybind11::module_& m);
void add_pictures(pybind11::module_& m);

}  // namespace knead::python
