// Pictures of a run as the page gets them: a line of JSON, then tables of numbers that a graphics
// card takes as they are.
//
//     "KNV1", length of the JSON (32 bits), the JSON, then the tables, each from a multiple of 8
//     bytes on. JSON `tables` says where each begins, counted from the first, and its bytes.
//
// Points are 8 bytes each, four 16-bit numbers: the position within `box` (0..65535 from its least
// to its greatest corner) and a value (0..65534 from `lo` to `hi`; 65535: not a number). All is
// little-endian, lengths are metres.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knead/picture/collider_meshes.h"
#include "knead/picture/survey.h"

namespace knead::view {

// A frame: `points` of volumes by body (JSON `bodies`: body, first, count, radius), `radii` where
// those of a body differ (16 bits each, 0 to JSON `most_radius`), and of sheets and curves
// `vertices`, `vertex_body`, `triangles`, `segments`. JSON `colliders` has where each stands, three
// rows of four. `column` gives the values; "": none. Of volumes every `nth` particle, by id,
// with the radius of a sphere that has the volume of n.
std::string frame_message(const std::string& file, const std::string& column,
                          const std::vector<ColliderMesh>& colliders, int nth = 1);

// The surface of a frame: `vertices`, `vertex_body`, `triangles`.
std::string surface_message(const std::string& file, const std::string& column);

// Colliders at rest, one after the other: `vertices` and `triangles` of each, and its colour.
std::string collider_message(const std::vector<ColliderMesh>& colliders);

// Of a column of the frame, or of its triangles and segments.
ValueRange value_range(const std::string& file, const std::string& column);

// The row of the frame's file that a point or a vertex of its message is; -1: none.
std::int64_t row_of_point(const std::string& file, std::int64_t point);
std::int64_t row_of_vertex(const std::string& file, std::int64_t vertex);

// The JSON of a message, for tests.
std::string_view message_json(std::string_view message);

}  // namespace knead::view
