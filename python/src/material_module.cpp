// Presets and the rheometer.
#include <pybind11/stl.h>

#include "errors.h"
#include "knead/materials/parameters.h"
#include "knead/materials/presets.h"
#include "knead/materials/rheometer_plot.h"
#include "knead/scene/rheometer_request.h"
#include "module.h"
#include "numbers.h"

namespace knead::python {

namespace {

// What a scene's [materials.NAME] would say.
py::dict material_dict(const Material& m) {
    py::dict out;
    out["elastic.law"] = to_string(m.elastic.law);
    out["flow.rule"] = to_string(m.flow.rule);
    for (const Parameter& p : material_parameters())
        if (p.used(m))
            out[py::str(p.key)] = p.unit == "yes/no" ? py::object(py::bool_(p.get(m) != 0))
                                  : p.words.empty()  ? py::object(py::float_(p.get(m)))
                                                     : py::object(py::str(value_text(p, p.get(m))));
    return out;
}

py::dict presets() {
    py::dict out;
    for (const Material& m : material_presets()) out[py::str(m.name)] = material_dict(m);
    return out;
}

py::dict drive(const std::string& material, const std::string& of_scene,
               const std::vector<std::string>& changes, const std::string& test,
               const std::string& kind, const std::string& method, const std::vector<double>& rates,
               const std::vector<double>& frequencies, std::optional<double> strain,
               std::optional<double> duration, std::optional<double> pressure) {
    RheometerResult result;
    {
        const py::gil_scoped_release free;
        result = run_rheometer({material, of_scene, changes, test, kind, method, rates, frequencies,
                                strain, duration, pressure});
    }
    py::dict columns, units, out;
    for (const std::string& name : result.table.columns) {
        columns[py::str(name)] = array_of(result.table.column(name));
        units[py::str(name)] = unit_of_column(name);
    }
    out["material"] = result.material.name;
    out["parameters"] = material_dict(result.material);
    out["test"] = result.test;
    out["columns"] = columns;
    out["units"] = units;
    out["csv"] = to_csv(result.table);
    out["svg"] = to_svg(rheometer_plot(result.material, result.test, result.table));
    return out;
}

}  // namespace

void add_materials(py::module_& m) {
    m.def("presets", presets);
    m.def("rheometer", drive, py::arg("material"), py::arg("of_scene"), py::arg("changes"),
          py::arg("test"), py::arg("kind"), py::arg("method"), py::arg("rates"),
          py::arg("frequencies"), py::arg("strain"), py::arg("duration"), py::arg("pressure"));
}

}  // namespace knead::python
