#include "errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <new>

#include "knead/base/suggest.h"

namespace knead::python {

namespace {

void raise(const char* type, const py::object& argument) {
    const py::object exception = py::module_::import("knead.errors").attr(type);
    PyErr_SetObject(exception.ptr(), argument.ptr());
}

void translate(std::exception_ptr thrown) {  // NOLINT: as pybind11 calls it
    if (!thrown) return;
    try {
        std::rethrow_exception(thrown);
    } catch (const InputError& error) {
        raise("InputError", py::make_tuple(tuples_of(error.mistakes())));
    } catch (const RunError& error) {
        raise("RunError", py::str(error.what()));
    } catch (const std::bad_alloc&) {
        PyErr_SetString(PyExc_MemoryError, "out of memory; a coarser scene needs less");
    }
}

}  // namespace

void translate_errors() { py::register_exception_translator(translate); }

py::list tuples_of(const std::vector<Mistake>& mistakes) {
    py::list out;
    for (const Mistake& m : mistakes)
        out.append(py::make_tuple(m.place.file, m.place.line, m.place.column, m.what, m.remedy));
    return out;
}

void no_such_name(const std::string& what, const std::string& name,
                  const std::vector<std::string>& known) {
    const std::string guess = did_you_mean(name, known);
    throw py::key_error(
        fmt::format("there is no {} '{}'; {}", what, name,
                    guess.empty() ? fmt::format("known: {}", fmt::join(known, ", ")) : guess));
}

}  // namespace knead::python
