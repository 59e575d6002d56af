// Streams and sinks of a scene to those of a model.
#pragma once

#include "knead/geometry/sdf_shape.h"
#include "knead/scene/scene.h"

namespace knead {

Motion build_motion(const MotionSpec& spec, const SdfShape& shape);

// Volume that a stream lets in until the scene ends [m3], by the area of its opening [m2].
double inflow_volume(const Scene& scene, const StreamSpec& stream, double area);

// Fills in model.streams and model.sinks, and adds a wall behind every opening to the colliders,
// which drives the matter in front of it: nothing flows back. `slices` has the particles of each
// body that is a stream, in its place.
void build_streams(const Scene& scene, const std::vector<std::vector<Vec3d>>& slices, Model& model);
void build_sinks(const Scene& scene, Model& model, std::vector<Mistake>& mistakes);

}  // namespace knead
