// A frame as Python holds it.
#pragma once

#include <memory>
#include <string>

#include "knead/io/frame.h"

namespace knead::python {

struct FrameHandle {
    std::shared_ptr<const Frame> frame;
    std::string file;  // "": it stands on no disk
};

}  // namespace knead::python
