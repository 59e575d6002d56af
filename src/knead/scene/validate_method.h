// What each method can take of a scene. Mistakes go to the reader, warnings to the scene.
#pragma once

#include "knead/scene/reader.h"
#include "knead/scene/scene.h"

namespace knead {

void check_grid_scene(Scene& scene, Reader& r);
void check_incremental_scene(Scene& scene, Reader& r);
void check_embedded_scene(Scene& scene, Reader& r);
void check_implicit_scene(Scene& scene, Reader& r);

}  // namespace knead
