// Frame files back to tables.
#pragma once

#include <string>
#include <string_view>

#include "knead/io/frame.h"

namespace knead {

// InputError with the file's name where it is missing, broken or cut short.
Frame read_frame(const std::string& path);
// The same for bytes in memory; `name` stands for the file in messages.
Frame parse_frame(std::string_view bytes, const std::string& name);
// What the comments of a frame say of colliders.
std::vector<ColliderPose> read_poses(const std::vector<std::string>& comments,
                                     const std::string& name);

}  // namespace knead
