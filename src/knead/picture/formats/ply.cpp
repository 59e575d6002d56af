#include "knead/io/ply.h"

#include "knead/io/frame_writer.h"
#include "knead/picture/formats.h"

namespace knead {

ExportFormat ply_format();

ExportFormat ply_format() {
    using Colors = ExportFormat::Colors;
    ExportFormat format{"ply", "ply",
                        [](const std::string& path, const Frame& frame, const Colors&) {
                            write_frame(path, frame);
                        },
                        [](const std::string& path, const SurfaceMesh& mesh, const Colors&) {
                            write_ply(path, mesh);
                        }};
    format.write_thin = [](const std::string& path, const Frame& thin, const ExportFormat::Names&,
                           const Colors&) { write_frame(path, thin); };
    return format;
}

}  // namespace knead
