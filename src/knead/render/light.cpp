#include "knead/render/light.h"

#include <cmath>

#include "knead/render/tone.h"

namespace knead::render {

Studio::Studio(const Camera& camera, const Look& look) {
    for (int k = 0; k < 3; ++k) background[k] = untone(look.background[k]);

    // over the camera's left shoulder, 50 degrees up
    Vec3d back = camera.position - camera.target;
    back.y = 0;
    back = length(back) > 1e-9 ? normalized(back) : Vec3d{0, 0, 1};
    const Vec3d left{-back.z, 0, back.x};
    const double turn = 0.95, up = 0.87;
    lamp_direction = Vec3f(std::cos(up) * (std::cos(turn) * back + std::sin(turn) * left) +
                           Vec3d{0, std::sin(up), 0});
}

Vec3f Studio::sky(const Vec3f& direction) const {
    const float t = 0.5f * (direction.y + 1);
    const float s = t * t * (3 - 2 * t);
    return horizon + s * (zenith - horizon);
}

}  // namespace knead::render
