#include "knead/io/frame_columns.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "knead/base/error.h"
#include "knead/geometry/ply_header.h"
#include "knead/io/frame_reader.h"
#include "knead/io/ply.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr std::size_t usual_header = std::size_t{1} << 14, longest_header = std::size_t{1} << 20;
constexpr std::size_t rows_a_task = 1 << 13;

float number_at(const char* bytes, bool is_whole) {
    if (is_whole) {
        std::int32_t i;
        std::memcpy(&i, bytes, 4);
        return static_cast<float>(i);
    }
    float f;
    std::memcpy(&f, bytes, 4);
    return f;
}

// What a row takes; corners and texture coordinates of triangles are the only lists of a frame.
std::size_t width_of(const PlyElementHeader& element) {
    std::size_t bytes = 0;
    for (const PlyProperty& p : element.properties)
        bytes += p.is_list
                     ? size_of(p.count_type) + (p.name == "texcoord" ? 6 : 3) * size_of(p.type)
                     : size_of(p.type);
    return bytes;
}

// Whether a file of that size holds all rows; no product that could be too large for a number.
bool holds_all(const PlyHeader& header, std::uint64_t size) {
    std::uint64_t left = size - std::min<std::uint64_t>(size, header.end);
    for (const PlyElementHeader& element : header.elements) {
        const std::size_t width = width_of(element);
        if (width == 0 || left / width < element.count) return false;
        left -= width * element.count;
    }
    return true;
}

}  // namespace

std::string FrameColumns::read_start() const {
    std::string text;
    for (std::size_t bytes = usual_header; bytes <= longest_header; bytes *= 8) {
        text.resize(std::min<std::size_t>(file_.size(), bytes));
        read_bytes(text.data(), text.size(), 0);
        if (text.size() < bytes || text.find("\nend_header") != std::string::npos) break;
    }
    return text;
}

FrameColumns::FrameColumns(const std::string& path) : path_(path), file_(path, frame_input) {
    const PlyHeader header = read_ply_header(read_start(), path);
    if (header.layout != PlyLayout::little_endian || header.elements.empty() ||
        header.elements[0].name != "vertex")
        throw InputError({path}, "this PLY file holds no frame of particles");
    const PlyElementHeader& rows = header.elements[0];
    for (const PlyProperty& p : rows.properties) {
        if (p.is_list || (p.type != PlyType::f32 && p.type != PlyType::i32))
            throw InputError({path}, "the columns of a frame are float or int");
        names_.push_back(p.name);
        is_whole_.push_back(p.type == PlyType::i32);
    }
    count_ = rows.count;
    begin_ = header.end;
    if (names_.empty() || !holds_all(header, file_.size()))
        throw InputError({path}, "the file is cut short");
    has_elements_ = header.elements.size() > 1;
    colliders_ = read_poses(header.comments, path);
    PlyFile stamp;
    stamp.comments = header.comments;
    stamp.read_stamp(frame_, time_);
}

void FrameColumns::read_bytes(char* to, std::size_t bytes, std::size_t from) const {
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t n =
            pread(file_.descriptor(), to + done, bytes - done, static_cast<off_t>(from + done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) throw InputError({path_}, "the file is cut short");
        done += static_cast<std::size_t>(n);
    }
}

bool FrameColumns::has(const std::string& name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::size_t FrameColumns::place_of(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
    std::string all;
    for (const std::string& n : names_) all += (all.empty() ? "" : ", ") + n;
    throw InputError({path_}, "the frame has no column '" + name + "'", "columns are: " + all);
}

std::vector<std::vector<float>> FrameColumns::read(const std::vector<std::string>& names) const {
    std::vector<std::size_t> places;
    for (const std::string& name : names) places.push_back(place_of(name));
    std::vector<std::vector<float>> columns(names.size(), std::vector<float>(count_));
    const std::size_t width = 4 * names_.size();
    parallel_chunks(count_, rows_a_task, [&](std::size_t begin, std::size_t end) {
        thread_local std::vector<char> bytes;
        bytes.resize(std::max(bytes.size(), (end - begin) * width));
        read_bytes(bytes.data(), (end - begin) * width, begin_ + begin * width);
        for (std::size_t k = 0; k < places.size(); ++k) {
            const char* from = bytes.data() + 4 * places[k];
            const bool is_whole = is_whole_[places[k]];
            float* to = columns[k].data();
            for (std::size_t i = begin; i < end; ++i, from += width)
                to[i] = number_at(from, is_whole);
        }
    });
    return columns;
}

bool is_whole_frame(const std::string& path) {
    try {
        const FrameColumns frame(path);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

std::vector<double> FrameColumns::row(std::size_t row) const {
    const std::size_t width = 4 * names_.size();
    std::vector<char> bytes(width);
    read_bytes(bytes.data(), width, begin_ + row * width);
    std::vector<double> values;
    for (std::size_t k = 0; k < names_.size(); ++k) {
        std::int32_t whole = 0;
        std::memcpy(&whole, bytes.data() + 4 * k, 4);
        values.push_back(is_whole_[k] ? whole
                                      : static_cast<double>(number_at(&bytes[4 * k], false)));
    }
    return values;
}

}  // namespace knead
