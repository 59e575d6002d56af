// A camera for those who did not choose one.
#include <algorithm>
#include <cmath>

#include "knead/render/scene.h"

namespace knead::render {

Camera frame_box(const Box3& box, const Look& look) {
    Camera camera;
    camera.field_of_view = 30;
    camera.target = box.center();
    const Vec3d back = normalized(Vec3d{0.55, 0.42, 1.0});
    const Vec3d right = normalized(cross(Vec3d{0, 1, 0}, back)), up = cross(back, right);
    const double tall = std::tan(camera.field_of_view * 3.14159265358979323846 / 360) / 1.18;
    const double wide = tall * look.width / look.height;

    // far enough back that every corner is within the picture
    double distance = 1e-3;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3d p{corner & 1 ? box.hi.x : box.lo.x, corner & 2 ? box.hi.y : box.lo.y,
                      corner & 4 ? box.hi.z : box.lo.z};
        const Vec3d d = p - camera.target;
        const double needed = std::max(std::abs(dot(d, right)) / wide, std::abs(dot(d, up)) / tall);
        distance = std::max(distance, needed + dot(d, back));
    }
    camera.position = camera.target + distance * back;
    return camera;
}

}  // namespace knead::render
