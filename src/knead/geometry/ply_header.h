// The header of a PLY file: what its elements hold and where their numbers begin.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace knead {

enum class PlyType { i8, u8, i16, u16, i32, u32, f32, f64 };
enum class PlyLayout { text, little_endian, big_endian };

std::size_t size_of(PlyType type);  // in bytes
inline bool is_real(PlyType type) { return type >= PlyType::f32; }

struct PlyProperty {
    std::string name;
    PlyType type = PlyType::f32;
    bool is_list = false;
    PlyType count_type = PlyType::u8;  // a whole number
    // What a row takes at least, in bytes.
    std::size_t least_size() const { return size_of(is_list ? count_type : type); }
};

struct PlyElementHeader {
    std::string name;
    std::size_t count = 0;
    std::vector<PlyProperty> properties;
};

struct PlyHeader {
    PlyLayout layout = PlyLayout::text;
    std::vector<std::string> comments;
    std::vector<PlyElementHeader> elements;
    std::size_t end = 0;  // the first byte after the header
    int lines = 0;
};

// InputError with the line where the bytes are no such header; `name` stands for the file.
PlyHeader read_ply_header(std::string_view bytes, const std::string& name);

}  // namespace knead
