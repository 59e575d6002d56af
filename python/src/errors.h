// knead's errors as Python's exceptions, with places and remedies.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "knead/base/error.h"

namespace knead::python {

namespace py = pybind11;

// InputError and RunError become the exceptions of the package.
void translate_errors();

// (file, line, column, what, remedy) for each.
py::list tuples_of(const std::vector<Mistake>& mistakes);

// A KeyError with the names there are and the one that was probably meant.
[[noreturn]] void no_such_name(const std::string& what, const std::string& name,
                               const std::vector<std::string>& known);

}  // namespace knead::python
