#include "knead/scene/scene.h"

#include <cmath>

#include "knead/scene/build_thin.h"

namespace knead {

Place Scene::place(std::string path) const {
    while (true) {
        const auto found = places.find(path);
        if (found != places.end()) return found->second;
        if (path.empty()) return Place{file, 0, 0};
        const std::size_t dot = path.rfind('.');
        path.resize(dot == std::string::npos ? 0 : dot);
    }
}

double spacing_of(const Scene& scene, const BodySpec& body) {
    if (body.thin) return 2 * half_thickness(scene, body);
    return body.spacing ? *body.spacing : scene.solver.dx / std::cbrt(body.particles_per_cell);
}

}  // namespace knead
