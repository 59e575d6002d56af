// What no single value shows: whether the parts of a scene fit together.
#pragma once

#include "knead/scene/reader.h"
#include "knead/scene/scene.h"

namespace knead {

// Mistakes go to the reader, warnings to the scene. Parts already known to be wrong are left out.
void validate(Scene& scene, Reader& r);

// Sheets and curves: their keys, their materials, and numbers that nothing could be made of.
void validate_thin(Scene& scene, Reader& r);

// What comes and goes while the scene runs: streams and sinks.
void validate_streams(const Scene& scene, Reader& r);

// What the scene's method can take, and what it leaves without effect.
void validate_method(Scene& scene, Reader& r);

// Shapes that need no file: do they make sense, does the grid see them?
void validate_shapes(Scene& scene, Reader& r);

}  // namespace knead
