#include "knead/io/frame_writer.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "knead/io/atomic_file.h"
#include "knead/parallel/exec.h"

namespace knead {

static_assert(std::endian::native == std::endian::little, "frames are little-endian");

namespace {

constexpr std::size_t rows_a_task = 1 << 15;

// Digits enough to read back the very same numbers.
std::string pose_comment(const ColliderPose& c) {
    std::string line = "comment collider " + c.name;
    for (int k = 0; k < 3; ++k) line += fmt::format(" {:.17g}", c.pose.position[k]);
    for (int k = 0; k < 9; ++k) line += fmt::format(" {:.17g}", c.pose.rotation[k]);
    return line + "\n";
}

std::string properties(const std::vector<FrameColumn>& columns) {
    std::string lines;
    for (const FrameColumn& c : columns)
        lines += fmt::format("property {} {}\n", c.is_integer() ? "int" : "float", c.name);
    return lines;
}

std::string header_of(const Frame& frame) {
    std::string header = "ply\nformat binary_little_endian 1.0\ncomment knead particles\n";
    header += fmt::format("comment frame {}\ncomment time {:.17g}\n", frame.frame, frame.time);
    for (const ColliderPose& c : frame.colliders) header += pose_comment(c);
    header += fmt::format("element vertex {}\n", frame.count) + properties(frame.columns);
    if (!frame.triangles.empty()) {
        header += fmt::format("element face {}\n", frame.triangles.size());
        header += "property list uchar int vertex_indices\n";
        if (!frame.triangles.uv.empty()) header += "property list uchar float texcoord\n";
        header += properties(frame.triangles.columns);
    }
    if (!frame.segments.empty()) {
        header += fmt::format("element edge {}\n", frame.segments.size());
        header += "property int vertex1\nproperty int vertex2\n";
        header += properties(frame.segments.columns);
    }
    return header + "end_header\n";
}

// Rows of bytes, each `fixed` bytes followed by four bytes a column; begin(i, row) writes the
// former.
template <class Begin>
std::vector<char> rows_of(std::size_t count, std::size_t fixed,
                          const std::vector<FrameColumn>& columns, const Begin& begin) {
    const std::size_t width = fixed + 4 * columns.size();
    std::vector<char> rows(width * count);
    for_each(count, rows_a_task, [&](std::size_t i) { begin(i, rows.data() + i * width); });
    for (std::size_t k = 0; k < columns.size(); ++k)
        std::visit(
            [&](const auto& values) {
                for_each(count, rows_a_task, [&](std::size_t i) {
                    std::memcpy(rows.data() + i * width + fixed + 4 * k, &values[i], 4);
                });
            },
            columns[k].values);
    return rows;
}

std::vector<char> rows_of(const FrameElements<3>& triangles) {
    const bool uv = !triangles.uv.empty();
    return rows_of(triangles.size(), uv ? 13 + 25 : 13, triangles.columns,
                   [&](std::size_t i, char* row) {
                       row[0] = 3;
                       std::memcpy(row + 1, triangles.corners[i].data(), 12);
                       if (!uv) return;
                       row[13] = 6;
                       std::memcpy(row + 14, triangles.uv[i].data(), 24);
                   });
}

std::vector<char> rows_of(const FrameElements<2>& segments) {
    return rows_of(segments.size(), 8, segments.columns, [&](std::size_t i, char* row) {
        std::memcpy(row, segments.corners[i].data(), 8);
    });
}

}  // namespace

void write_frame(const std::string& path, const Frame& frame) {
    AtomicFile file(path);
    file.write(header_of(frame));
    file.write_all(rows_of(frame.count, 0, frame.columns, [](std::size_t, char*) {}));
    file.write_all(rows_of(frame.triangles));
    file.write_all(rows_of(frame.segments));
    file.commit();
}

}  // namespace knead
