#include "knead/io/vdb.h"

#include "knead/picture/formats.h"
#include "knead/surface/skin.h"

namespace knead {

ExportFormat vdb_format();

// Surfaces are level sets, one for all bodies, with the velocity beside them.
ExportFormat vdb_format() {
    return {"vdb", "vdb", write_vdb_points, {}, [](const std::string& path, const Frame& frame) {
                VelocityField velocity;
                if (frame.find("vx"))
                    velocity = [&](const std::vector<Vec3f>& x) { return velocities_at(frame, x); };
                write_vdb_level_set(path, skin_level_set(frame, {}), velocity);
            }};
}

}  // namespace knead
