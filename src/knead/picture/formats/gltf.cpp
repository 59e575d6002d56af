#include "knead/io/gltf.h"

#include "knead/picture/formats.h"

namespace knead {

ExportFormat gltf_format();

ExportFormat gltf_format() {
    using Colors = ExportFormat::Colors;
    ExportFormat format{"gltf", "glb",
                        [](const std::string& path, const Frame& frame, const Colors& colors) {
                            write_glb(path, frame, colors);
                        },
                        [](const std::string& path, const SurfaceMesh& mesh, const Colors& colors) {
                            write_glb(path, mesh, colors);
                        }};
    format.write_thin = [](const std::string& path, const Frame& thin,
                           const ExportFormat::Names& names, const Colors& colors) {
        write_glb(path, thin_meshes(thin, names), thin.frame, thin.time, colors);
    };
    return format;
}

}  // namespace knead
