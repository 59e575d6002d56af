// knead._knead: the library for Python. The package around it, python/knead, is what people see.
#include "module.h"

#include "errors.h"
#include "knead/base/version.h"

PYBIND11_MODULE(_knead, m) {
    namespace k = knead::python;
    m.doc() = "The compiled part of knead; use the package knead.";
    m.attr("__version__") = knead::version();
    k::translate_errors();
    k::add_scene(m);
    k::add_frames(m);
    k::add_sim(m);
    k::add_materials(m);
    k::add_pictures(m);
}
