#include "knead/io/gltf.h"

#include "knead/picture/formats.h"

namespace knead {

ExportFormat gltf_format();

ExportFormat gltf_format() {
    using Colors = ExportFormat::Colors;
    return {"gltf", "glb",
            [](const std::string& path, const Frame& frame, const Colors& colors) {
                write_glb(path, frame, colors);
            },
            [](const std::string& path, const SurfaceMesh& mesh, const Colors& colors) {
                write_glb(path, mesh, colors);
            }};
}

}  // namespace knead
