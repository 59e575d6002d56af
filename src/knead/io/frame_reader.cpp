#include "knead/io/frame_reader.h"

#include <sstream>

#include "knead/base/error.h"
#include "knead/io/ply.h"

namespace knead {

namespace {

// What write_frame says of colliders.
std::vector<ColliderPose> read_poses(const PlyFile& file, const std::string& name) {
    std::vector<ColliderPose> poses;
    for (const std::string& comment : file.comments) {
        std::istringstream words(comment);
        std::string word;
        if (!(words >> word) || word != "collider") continue;
        ColliderPose c;
        words >> c.name;
        for (int k = 0; k < 3; ++k) words >> c.pose.position[k];
        for (int k = 0; k < 9; ++k) words >> c.pose.rotation[k];
        if (!words) throw InputError({name}, "a collider's pose takes a name and 12 numbers");
        poses.push_back(std::move(c));
    }
    return poses;
}

}  // namespace

Frame parse_frame(std::string_view bytes, const std::string& name) {
    PlyFile file = parse_ply(bytes, name);
    if (file.elements.size() != 1 || file.elements[0].name != "vertex")
        throw InputError({name}, "this PLY file holds no frame of particles",
                         "a frame has one element, vertex");
    PlyElement& e = file.elements[0];
    if (!e.lists.empty()) throw InputError({name}, "a frame of particles has no lists");
    Frame frame{0, 0, e.count, std::move(e.columns), read_poses(file, name)};
    for (const char* needed : {"x", "y", "z"})
        if (!frame.find(needed))
            throw InputError({name}, std::string("the frame has no column '") + needed + "'");
    file.read_stamp(frame.frame, frame.time);
    return frame;
}

Frame read_frame(const std::string& path) { return parse_frame(read_bytes(path), path); }

}  // namespace knead
