#include "knead/io/vdb.h"

#include "knead/picture/formats.h"
#include "knead/surface/skin.h"

namespace knead {

ExportFormat vdb_format();

// Surfaces are level sets.
ExportFormat vdb_format() {
    return {"vdb", "vdb", write_vdb_points, {}, [](const std::string& path, const Frame& frame) {
                write_vdb_level_set(path, skin_level_set(frame, {}));
            }};
}

}  // namespace knead
