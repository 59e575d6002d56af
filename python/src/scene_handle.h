// A scene as Python holds it.
#pragma once

#include "knead/scene/scene.h"

namespace knead::python {

struct SceneHandle {
    Scene scene;
    std::string input;  // its file; "" where it was made from a dict or a text
};

}  // namespace knead::python
