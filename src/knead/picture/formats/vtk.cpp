#include "knead/io/vtk.h"

#include "knead/picture/formats.h"

namespace knead {

ExportFormat vtk_format();

// ParaView opens the index.
ExportFormat vtk_format() {
    using Colors = ExportFormat::Colors;
    return {"vtk",
            "vtp",
            [](const std::string& path, const Frame& frame, const Colors& colors) {
                write_vtp(path, frame, colors);
            },
            [](const std::string& path, const SurfaceMesh& mesh, const Colors&) {
                write_vtp(path, mesh);
            },
            {},
            "pvd",
            write_pvd};
}

}  // namespace knead
