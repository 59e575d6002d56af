#include "knead/io/frame_reader.h"

#include <fmt/format.h>

#include <sstream>

#include "knead/base/error.h"
#include "knead/io/ply.h"

namespace knead {

std::vector<ColliderPose> read_poses(const std::vector<std::string>& comments,
                                     const std::string& name) {
    std::vector<ColliderPose> poses;
    for (const std::string& comment : comments) {
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

namespace {

template <std::size_t N>
void check_corners(const Frame& frame, const FrameElements<N>& elements, const char* kind,
                   const std::string& name) {
    for (std::size_t i = 0; i < elements.size(); ++i)
        for (const std::int32_t v : elements.corners[i])
            if (v < 0 || static_cast<std::size_t>(v) >= frame.count)
                throw InputError({name},
                                 fmt::format("{} {} names row {} of {}", kind, i, v, frame.count));
}

// The element `face`: three corners each, with texture coordinates or without.
void read_triangles(PlyElement& e, Frame& frame, const std::string& name) {
    const bool uv = e.lists.size() == 2 && e.lists[1].name == "texcoord";
    if (e.lists.empty() || e.lists.size() != (uv ? 2u : 1u) || !e.lists[0].reals.empty() ||
        (uv && !e.lists[1].values.empty()))
        throw InputError({name}, "the triangles of a frame are lists vertex_indices and texcoord");
    frame.triangles.corners.resize(e.count);
    if (uv) frame.triangles.uv.resize(e.count);
    for (std::size_t i = 0; i < e.count; ++i) {
        if (e.lists[0].length(i) != 3 || (uv && e.lists[1].length(i) != 6))
            throw InputError({name}, fmt::format("face {} is no triangle", i));
        for (std::size_t k = 0; k < 3; ++k)
            frame.triangles.corners[i][k] = e.lists[0].values[3 * i + k];
        for (std::size_t k = 0; uv && k < 6; ++k)
            frame.triangles.uv[i][k] = e.lists[1].reals[6 * i + k];
    }
    frame.triangles.columns = std::move(e.columns);
    check_corners(frame, frame.triangles, "face", name);
}

// The element `edge`: vertex1 and vertex2.
void read_segments(PlyElement& e, Frame& frame, const std::string& name) {
    if (!e.lists.empty() || e.columns.size() < 2 || e.columns[0].name != "vertex1" ||
        e.columns[1].name != "vertex2" || !e.columns[0].is_integer() || !e.columns[1].is_integer())
        throw InputError({name}, "the segments of a frame begin with vertex1 and vertex2");
    const auto& first = std::get<std::vector<std::int32_t>>(e.columns[0].values);
    const auto& second = std::get<std::vector<std::int32_t>>(e.columns[1].values);
    for (std::size_t i = 0; i < e.count; ++i)
        frame.segments.corners.push_back({first[i], second[i]});
    e.columns.erase(e.columns.begin(), e.columns.begin() + 2);
    frame.segments.columns = std::move(e.columns);
    check_corners(frame, frame.segments, "edge", name);
}

// What may follow the vertices, each at most once.
void read_elements(PlyFile& file, Frame& frame, const std::string& name) {
    for (std::size_t k = 1; k < file.elements.size(); ++k) {
        PlyElement& e = file.elements[k];
        const bool again = e.name == file.elements[k - 1].name;
        if (e.name == "face" && k == 1)
            read_triangles(e, frame, name);
        else if (e.name == "edge" && !again && k <= 2)
            read_segments(e, frame, name);
        else
            throw InputError({name}, "element " + e.name + " is not one of a frame",
                             "a frame has the elements vertex, face and edge, in that order");
    }
}

}  // namespace

Frame parse_frame(std::string_view bytes, const std::string& name) {
    PlyFile file = parse_ply(bytes, name);
    if (file.elements.empty() || file.elements[0].name != "vertex")
        throw InputError({name}, "this PLY file holds no frame of particles",
                         "a frame begins with the element vertex");
    PlyElement& e = file.elements[0];
    if (!e.lists.empty()) throw InputError({name}, "a frame of particles has no lists");
    Frame frame{0, 0, e.count, std::move(e.columns), read_poses(file.comments, name)};
    read_elements(file, frame, name);
    for (const char* needed : {"x", "y", "z"})
        if (!frame.find(needed))
            throw InputError({name}, std::string("the frame has no column '") + needed + "'");
    file.read_stamp(frame.frame, frame.time);
    return frame;
}

Frame read_frame(const std::string& path) { return parse_frame(read_bytes(path), path); }

}  // namespace knead
