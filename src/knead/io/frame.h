// A frame as it stands on disk: a table of particles, one named column of numbers a property, and
// the triangles and segments that join those of them that are vertices of sheets and curves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "knead/geometry/motion.h"

namespace knead {

// Where a collider that moves stands.
struct ColliderPose {
    std::string name;
    Pose pose;
};

struct FrameColumn {
    std::string name;
    std::variant<std::vector<float>, std::vector<std::int32_t>> values;

    bool is_integer() const { return values.index() == 1; }
    std::size_t size() const;
    double at(std::size_t i) const;
};

// Triangles (N = 3) or segments (N = 2), in the order of their ids.
template <std::size_t N>
struct FrameElements {
    std::vector<std::array<std::int32_t, N>> corners;  // rows of the frame's table
    std::vector<FrameColumn> columns;                  // one value an element
    std::vector<std::array<float, 2 * N>> uv;          // of the corners; empty where there are none

    std::size_t size() const { return corners.size(); }
    bool empty() const { return corners.empty(); }
    const FrameColumn* find(const std::string& name) const;  // null where there is none
};

struct Frame {
    int frame = 0;
    double time = 0;        // [s]
    std::size_t count = 0;  // particles; every column has as many rows
    std::vector<FrameColumn> columns;
    std::vector<ColliderPose> colliders{};  // those that move, or that matter moves
    FrameElements<3> triangles{};
    FrameElements<2> segments{};

    bool has_elements() const { return !triangles.empty() || !segments.empty(); }
    const FrameColumn* find(const std::string& name) const;  // null where there is none
    // The column of that name; InputError with the names there are where it is missing.
    const FrameColumn& column(const std::string& name) const;
    std::vector<float> floats(const std::string& name) const;
    std::vector<std::int32_t> integers(const std::string& name) const;
    // Columns a, b and c side by side.
    std::vector<Vec3f> vectors(const std::string& a, const std::string& b,
                               const std::string& c) const;
    std::vector<Vec3f> positions() const { return vectors("x", "y", "z"); }
    // Of the collider of that name; null where the frame does not say.
    const Pose* pose_of(const std::string& collider) const;
};

// Whether a triangle or segment joins each row.
std::vector<char> joined_rows(const Frame& frame);
// The frame without triangles, segments and the rows that they join: its volumes.
Frame volumes_of(const Frame& frame);
// The rest of it: its sheets and curves.
Frame thin_of(const Frame& frame);
// Those of its volumes that belong to one body.
Frame body_of(const Frame& volumes, std::int32_t body);
// The bodies that its rows name, in ascending order; {0} where it names none.
std::vector<std::int32_t> bodies_in(const Frame& frame);

// The number in a file name such as frame_00042.ply; -1 where there is none.
int frame_number(const std::string& path);
// folder/stem_00042.extension
std::string frame_path(const std::string& folder, const std::string& stem, int frame,
                       const std::string& extension);
// All files folder/stem_NNNNN.extension, by number. Empty where the folder is missing.
std::vector<std::string> frame_files(const std::string& folder, const std::string& stem,
                                     const std::string& extension);

}  // namespace knead
