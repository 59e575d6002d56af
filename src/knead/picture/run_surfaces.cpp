#include "knead/picture/run_surfaces.h"

namespace knead {

SurfaceMesh RunSurfaces::next(const Frame& frame) {
    if (frame.has_elements()) return next(volumes_of(frame));
    if (in_embedded_space_) return skin_frame(in_embedded_space(frame), settings_);
    if (carry_ == CarryMesh::no) return skin_frame(frame, settings_);
    if (first_mesh_.positions.empty()) {
        first_ = frame;
        first_mesh_ = skin_frame(frame, settings_);
        if (carry_ == CarryMesh::embedded)
            carrier_ = std::make_unique<EmbeddedCarrier>(first_mesh_, frame, carry_radius(first_));
        return first_mesh_;
    }
    SurfaceMesh mesh = carrier_ ? carrier_->next(frame)
                                : carry_mesh(first_mesh_, first_, frame, carry_radius(first_));
    carry_columns(frame, settings_, mesh);
    return mesh;
}

}  // namespace knead
