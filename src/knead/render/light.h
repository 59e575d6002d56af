// The studio: one large soft lamp over the camera's shoulder and a sky that is brighter above.
#pragma once

#include "knead/render/scene.h"

namespace knead::render {

struct Studio {
    Vec3f background;      // light that reaches the camera where nothing is
    Vec3f lamp_direction;  // towards the lamp
    Vec3f lamp{1.06f, 1.00f, 0.92f};
    float lamp_cos = 0.985f;  // half angle of the lamp, about 10 degrees
    Vec3f zenith{0.42f, 0.46f, 0.52f};
    Vec3f horizon{0.30f, 0.30f, 0.30f};

    Studio(const Camera& camera, const Look& look);
    Vec3f sky(const Vec3f& direction) const;
};

}  // namespace knead::render
