// One picture. Same scene, same bytes, whatever the thread count.
#pragma once

#include "knead/io/image.h"
#include "knead/render/scene.h"

namespace knead::render {

Image render_frame(const Scene& scene);

}  // namespace knead::render
