#include "knead/geometry/ply_header.h"

#include <fmt/format.h>

#include "knead/geometry/mesh_formats.h"

namespace knead {

using mesh_format::Tokens;

namespace {

bool type_named(std::string_view name, PlyType& type) {
    constexpr std::string_view words[][2] = {
        {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
        {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"}};
    for (int k = 0; k < 8; ++k)
        if (name == words[k][0] || name == words[k][1]) return type = static_cast<PlyType>(k), true;
    return false;
}

class HeaderReader {
public:
    HeaderReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

    PlyHeader read() {
        if (take_line() != "ply") fail("the file does not begin with ply", "export it as PLY");
        bool has_format = false;
        for (;;) {
            const std::string_view line = take_line();
            Tokens tokens(line);
            const std::string_view key = tokens.next();
            if (key == "end_header") break;
            if (key == "format") {
                has_format = true;
                read_format(tokens.next());
            } else if (key == "element") {
                read_element(tokens);
            } else if (key == "property") {
                read_property(tokens);
            } else if (key == "comment") {
                header_.comments.emplace_back(line.size() > 8 ? line.substr(8) : "");
            } else if (key != "obj_info" && !key.empty()) {
                fail(fmt::format("\"{}\" is no PLY header word", key.substr(0, 40)));
            }
        }
        if (!has_format) fail("the header states no format");
        return std::move(header_);
    }

private:
    [[noreturn]] void fail(const std::string& what,
                           const std::string& remedy = "export it again") const {
        throw InputError(Place{name_, header_.lines, 0}, what, remedy);
    }
    std::string_view take_line() {
        const std::size_t end = bytes_.find('\n', header_.end);
        if (end == std::string_view::npos)
            fail("the header ends without end_header", "it is cut short; export it again");
        std::string_view line = bytes_.substr(header_.end, end - header_.end);
        header_.end = end + 1, ++header_.lines;
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        return line;
    }
    void read_format(std::string_view word) {
        if (word == "ascii")
            header_.layout = PlyLayout::text;
        else if (word == "binary_little_endian")
            header_.layout = PlyLayout::little_endian;
        else if (word == "binary_big_endian")
            header_.layout = PlyLayout::big_endian;
        else
            fail(fmt::format("\"{}\" is no PLY format", word.substr(0, 40)),
                 "use ascii, binary_little_endian or binary_big_endian");
    }
    void read_element(Tokens& tokens) {
        PlyElementHeader e;
        e.name = tokens.next();
        long long count = 0;
        const std::string_view word = tokens.next();
        if (!mesh_format::parse_integer(word, count) || count < 0)
            fail(fmt::format("\"{}\" is no number of elements", word.substr(0, 40)));
        e.count = static_cast<std::size_t>(count);
        header_.elements.push_back(std::move(e));
    }
    void read_property(Tokens& tokens) {
        if (header_.elements.empty()) fail("a property comes before any element");
        PlyProperty p;
        std::string_view word = tokens.next();
        p.is_list = word == "list";
        bool good = true;
        if (p.is_list) {
            good = type_named(tokens.next(), p.count_type) && !is_real(p.count_type);
            word = tokens.next();
        }
        good = good && type_named(word, p.type);
        p.name = tokens.next();
        if (!good || p.name.empty()) fail("the property is not written as type and name");
        header_.elements.back().properties.push_back(std::move(p));
    }

    std::string_view bytes_;
    const std::string& name_;
    PlyHeader header_;
};

}  // namespace

std::size_t size_of(PlyType type) {
    constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[static_cast<int>(type)];
}

PlyHeader read_ply_header(std::string_view bytes, const std::string& name) {
    return HeaderReader(bytes, name).read();
}

}  // namespace knead
