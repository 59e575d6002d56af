#include "knead/io/vtk.h"

#include "knead/picture/formats.h"

namespace knead {

ExportFormat vtk_format();

// ParaView opens the index.
ExportFormat vtk_format() {
    using Colors = ExportFormat::Colors;
    ExportFormat format{"vtk",
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
    format.write_thin = [](const std::string& path, const Frame& thin, const ExportFormat::Names&,
                           const Colors& colors) { write_thin_vtp(path, thin, colors); };
    return format;
}

}  // namespace knead
