#include "knead/scene/build_shape.h"
#include "knead/scene/validate.h"

namespace knead {

// Meshes wait for build_model: a scene can be read where its meshes are not.
void validate_shapes(Scene& scene, Reader& r) {
    const auto build = [&](const ShapeSpec& spec, const std::string& path) -> SdfShape {
        if (r.is_bad(path) || !scene.places.contains(path) || has_mesh(spec)) return {};
        std::vector<Mistake> found;
        const SdfShape shape = build_shape(scene, spec, path, found);
        for (Mistake& m : found) r.mistake(m.place, m.what, m.remedy);
        return shape;
    };
    const bool sized = !r.is_bad("solver") && scene.solver.dx > 0;
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        const SdfShape shape =
            build(scene.bodies[i].shape, "bodies." + std::to_string(i) + ".shape");
        if (shape.empty() || !sized) continue;
        std::vector<Mistake> found;
        check_body_shape(scene, i, shape, found, scene.warnings);
        for (Mistake& m : found) r.mistake(m.place, m.what, m.remedy);
    }
    for (std::size_t i = 0; i < scene.grips.size(); ++i)
        build(scene.grips[i].shape, "grips." + std::to_string(i) + ".shape");
    for (std::size_t i = 0; i < scene.sinks.size(); ++i)
        build(scene.sinks[i].shape, "sinks." + std::to_string(i) + ".shape");
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
        if (scene.bodies[i].refine)
            build(scene.bodies[i].refine->shape, "bodies." + std::to_string(i) + ".refine.shape");
    for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
        const SdfShape shape =
            build(scene.colliders[i].shape, "colliders." + std::to_string(i) + ".shape");
        if (!shape.empty() && sized) check_collider_shape(scene, i, shape, scene.warnings);
    }
}

}  // namespace knead
