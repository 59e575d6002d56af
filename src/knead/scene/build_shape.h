// Shapes of a scene to distance fields.
#pragma once

#include "knead/geometry/sdf_shape.h"
#include "knead/scene/scene.h"

namespace knead {

// Builds the shape that stands at a key path, opening meshes as needed. What is wrong with it goes
// to `mistakes`, with its place; the result is then empty.
SdfShape build_shape(const Scene& scene, const ShapeSpec& spec, const std::string& path,
                     std::vector<Mistake>& mistakes);

bool has_mesh(const ShapeSpec& spec);

// Can a body of this shape be filled with particles the grid can see?
void check_body_shape(const Scene& scene, std::size_t body, const SdfShape& shape,
                      std::vector<Mistake>& mistakes, std::vector<Mistake>& warnings);
void check_collider_shape(const Scene& scene, std::size_t collider, const SdfShape& shape,
                          std::vector<Mistake>& warnings);

}  // namespace knead
