// The surfaces of a run's frames, one after the other: each skinned anew, or the first one carried
// along by the particles.
#pragma once

#include <memory>

#include "knead/surface/carry_mesh.h"
#include "knead/surface/skin.h"

namespace knead {

enum class CarryMesh { no, displacements, embedded };

class RunSurfaces {
public:
    RunSurfaces(SkinSettings settings, bool in_embedded_space, CarryMesh carry)
        : settings_(std::move(settings)), in_embedded_space_(in_embedded_space), carry_(carry) {}

    SurfaceMesh next(const Frame& frame);

private:
    SkinSettings settings_;
    bool in_embedded_space_;
    CarryMesh carry_;
    Frame first_;
    SurfaceMesh first_mesh_;
    std::unique_ptr<EmbeddedCarrier> carrier_;
};

}  // namespace knead
