// A camera for those who did not choose one.
#include <algorithm>
#include <cmath>

#include "knead/render/scene.h"

namespace knead::render {

namespace {

constexpr double margin = 1.12;

// What a camera sees of boxes: how far each corner is to the side, above and behind the target.
struct View {
    Vec3d back = normalized(Vec3d{0.55, 0.42, 1.0});
    Vec3d right = normalized(cross(Vec3d{0, 1, 0}, back)), up = cross(back, right);

    template <class Visit>
    void for_each_corner(const std::vector<Box3>& boxes, const Vec3d& target,
                         const Visit& visit) const {
        for (const Box3& box : boxes)
            for (int corner = 0; corner < 8; ++corner) {
                const Vec3d p{corner & 1 ? box.hi.x : box.lo.x, corner & 2 ? box.hi.y : box.lo.y,
                              corner & 4 ? box.hi.z : box.lo.z};
                const Vec3d d = p - target;
                visit(dot(d, right), dot(d, up), dot(d, back));
            }
    }
};

}  // namespace

Camera frame_boxes(const std::vector<Box3>& boxes, const Look& look) {
    Camera camera;
    camera.field_of_view = 30;
    Box3 all;
    for (const Box3& box : boxes) all.add(box.lo), all.add(box.hi);
    camera.target = all.center();
    const View view;
    const double tall = std::tan(camera.field_of_view * 3.14159265358979323846 / 360) / margin;
    const double wide = tall * look.width / look.height;
    double distance = 1e-3;
    for (int pass = 0; pass < 4; ++pass) {
        // far enough back that every corner is within the picture
        distance = 1e-3;
        view.for_each_corner(boxes, camera.target, [&](double x, double y, double z) {
            distance = std::max(distance, std::max(std::abs(x) / wide, std::abs(y) / tall) + z);
        });
        // as much room on the left as on the right, and above as below
        double lo_x = 1e300, hi_x = -1e300, lo_y = 1e300, hi_y = -1e300;
        view.for_each_corner(boxes, camera.target, [&](double x, double y, double z) {
            const double depth = distance - z;
            lo_x = std::min(lo_x, x / depth), hi_x = std::max(hi_x, x / depth);
            lo_y = std::min(lo_y, y / depth), hi_y = std::max(hi_y, y / depth);
        });
        if (pass < 3)
            camera.target +=
                0.5 * distance * ((lo_x + hi_x) * view.right + (lo_y + hi_y) * view.up);
    }
    camera.position = camera.target + distance * view.back;
    return camera;
}

}  // namespace knead::render
