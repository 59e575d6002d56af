#include "values.h"

#include <fmt/format.h>

#include "knead/base/error.h"

namespace knead::python {

namespace {

constexpr int deepest = 32;  // lists and dicts in one another

Value convert(const py::handle& a, const std::string& path, int depth);

[[noreturn]] void refuse(const std::string& path, const py::handle& a) {
    throw InputError({path},
                     fmt::format("a {} cannot stand in a scene",
                                 py::cast<std::string>(py::type::of(a).attr("__name__"))),
                     "numbers, texts, True and False, lists and dicts can");
}

Value convert_dict(const py::dict& dict, const std::string& path, int depth) {
    Value out;
    for (const auto& [key, item] : dict) {
        if (!py::isinstance<py::str>(key)) refuse(path + ": a key", key);
        const std::string name = py::cast<std::string>(key);
        const std::string place = path.empty() ? name : path + "." + name;
        out.entries.push_back({name, Place{place}, convert(item, place, depth + 1)});
    }
    return out;
}

Value convert_list(const py::handle& items, const std::string& path, int depth) {
    Value out = Value::list({});
    for (const py::handle& item : py::iter(items))
        out.items.push_back(
            convert(item, fmt::format("{}[{}]", path, out.items.size()), depth + 1));
    return out;
}

Value convert_plain(const py::handle& a, const std::string& path, int depth) {
    if (py::isinstance<py::bool_>(a)) return Value::of(py::cast<bool>(a));
    if (py::isinstance<py::int_>(a)) {
        int too_large = 0;
        const long long integer = PyLong_AsLongLongAndOverflow(a.ptr(), &too_large);
        if (too_large == 0) return Value::of(std::int64_t{integer});
        throw InputError({path}, "this whole number is too large", "it must fit 64 bits");
    }
    if (py::isinstance<py::float_>(a)) return Value::of(py::cast<double>(a));
    if (py::isinstance<py::str>(a)) return Value::of(py::cast<std::string>(a));
    if (py::isinstance<py::dict>(a))
        return convert_dict(py::reinterpret_borrow<py::dict>(a), path, depth);
    if (py::isinstance<py::list>(a) || py::isinstance<py::tuple>(a))
        return convert_list(a, path, depth);
    if (py::hasattr(a, "__fspath__"))
        return Value::of(py::cast<std::string>(py::str(a.attr("__fspath__")())));
    if (py::hasattr(a, "tolist")) return convert(a.attr("tolist")(), path, depth + 1);  // NumPy's
    refuse(path, a);
}

Value convert(const py::handle& a, const std::string& path, int depth) {
    if (depth > deepest) throw InputError({path}, "this is nested too deeply", "nest less deeply");
    Value out = convert_plain(a, path, depth);
    out.place = Place{path};
    return out;
}

}  // namespace

Value value_of_dict(const py::dict& dict) {
    Value out = convert_dict(dict, "", 0);
    out.place = Place{"the scene"};
    return out;
}

std::vector<std::string> settings_of(const py::object& changes) {
    std::vector<std::string> settings;
    if (changes.is_none()) return settings;
    for (const auto& [key, item] : py::cast<py::dict>(changes)) {
        const std::string name = py::cast<std::string>(key);
        settings.push_back(name + "=" + to_toml_inline(convert(item, name, 0)));
    }
    return settings;
}

}  // namespace knead::python
