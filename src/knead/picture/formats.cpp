#include "knead/picture/formats.h"

#include "knead/base/error.h"

namespace knead {

// Each in a file of its own.
ExportFormat ply_format();
ExportFormat vdb_format();
ExportFormat gltf_format();
ExportFormat vtk_format();
ExportFormat pc2_format();

const std::vector<ExportFormat>& export_formats() {
    static const std::vector<ExportFormat> list{ply_format(), vdb_format(), gltf_format(),
                                                vtk_format(), pc2_format()};
    return list;
}

std::vector<std::string> export_format_names() {
    std::vector<std::string> names;
    for (const ExportFormat& format : export_formats()) names.push_back(format.name);
    return names;
}

const ExportFormat& export_format(const std::string& name) {
    std::string known;
    for (const ExportFormat& format : export_formats()) {
        if (format.name == name) return format;
        known += (known.empty() ? "" : ", ") + format.name;
    }
    const std::string what = name.empty() ? "which format?" : "there is no format '" + name + "'";
    throw InputError({"--format"}, what, "one of " + known);
}

}  // namespace knead
