// STL, text and binary. It stores each triangle's corners anew, so vertices are welded.
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "knead/geometry/mesh_formats.h"

namespace knead::mesh_format {

namespace {

constexpr std::size_t header_size = 84, facet_size = 50;

std::uint32_t little_endian(const char* p) {
    std::uint32_t value = 0;
    for (int k = 3; k >= 0; --k) value = (value << 8) | static_cast<unsigned char>(p[k]);
    return value;
}

Mesh read_binary(std::string_view bytes, std::size_t count, const std::string& name) {
    Mesh mesh;
    mesh.positions.reserve(3 * count);
    for (std::size_t i = 0; i < count; ++i) {
        const char* facet = bytes.data() + header_size + facet_size * i;
        for (std::size_t k = 0; k < 3; ++k) {
            float xyz[3];
            for (std::size_t a = 0; a < 3; ++a)
                xyz[a] = std::bit_cast<float>(little_endian(facet + 12 + 12 * k + 4 * a));
            Vec3f vertex;
            if (!make_vertex(xyz[0], xyz[1], xyz[2], vertex))
                throw InputError(
                    Place{name, 0, 0},
                    fmt::format("facet {} has the vertex ({}, {}, {})", i, xyz[0], xyz[1], xyz[2]),
                    "coordinates must be finite");
            mesh.positions.push_back(vertex);
        }
        const int first = static_cast<int>(3 * i);
        mesh.triangles.push_back({first, first + 1, first + 2});
    }
    return mesh;
}

class TextReader {
public:
    TextReader(std::string_view text, const std::string& name) : tokens_(text), name_(name) {}

    Mesh read() {
        for (std::string_view t = tokens_.next();; t = tokens_.next()) {
            if (t == "solid" || t == "endsolid") {
                open_ = t == "solid";
                tokens_.skip_line();
            } else if (t == "vertex") {
                read_vertex();
            } else if (t == "endloop") {
                close_loop();
            } else if (t == "facet") {
                for (int k = 0; k < 4; ++k) tokens_.next();  // its normal follows from the corners
            } else if (t.empty()) {
                break;
            } else if (t != "outer" && t != "loop" && t != "endfacet") {
                fail(fmt::format("\"{}\" is no STL keyword", t.substr(0, 40)),
                     "export it again as STL");
            }
        }
        if (open_ || !loop_.empty())
            fail("the file ends before endsolid", "it is cut short; export it again");
        return std::move(mesh_);
    }

private:
    Tokens tokens_;
    const std::string& name_;
    Mesh mesh_;
    std::vector<int> loop_;
    bool open_ = false;

    [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
        throw InputError(Place{name_, tokens_.line(), 0}, what, remedy);
    }
    void read_vertex() {
        double xyz[3];
        for (double& a : xyz) {
            const std::string_view token = tokens_.next();
            if (!parse_number(token, a))
                fail(fmt::format("\"{}\" is no coordinate", token.substr(0, 40)),
                     "write vertex x y z");
        }
        Vec3f vertex;
        if (!make_vertex(xyz[0], xyz[1], xyz[2], vertex))
            fail(fmt::format("the vertex is ({}, {}, {})", xyz[0], xyz[1], xyz[2]),
                 "coordinates must be finite");
        loop_.push_back(static_cast<int>(mesh_.positions.size()));
        mesh_.positions.push_back(vertex);
    }
    void close_loop() {
        if (loop_.size() != 3)
            fail(fmt::format("the facet has {} corners", loop_.size()), "STL facets have three");
        mesh_.triangles.push_back({loop_[0], loop_[1], loop_[2]});
        loop_.clear();
    }
};

// Binary files may begin with "solid" too, but soon have a zero byte.
bool looks_like_text(std::string_view bytes) {
    return Tokens(bytes).next() == "solid" &&
           bytes.substr(0, 512).find('\0') == std::string_view::npos;
}

}  // namespace

Mesh read_stl(std::string_view bytes, const std::string& name) {
    // Text and binary may both begin with "solid"; the size tells.
    const bool has_header = bytes.size() >= header_size;
    const std::size_t count = has_header ? little_endian(bytes.data() + 80) : 0;
    const std::size_t needed = header_size + facet_size * count;
    if (!(has_header && needed == bytes.size()) && looks_like_text(bytes))
        return welded(TextReader(bytes, name).read());
    if (!has_header || needed > bytes.size())
        throw InputError(Place{name, 0, 0},
                         fmt::format("the header promises {} facets, {} bytes; the file has {}",
                                     count, needed, bytes.size()),
                         "it is cut short or no STL; export it again");
    if (count > static_cast<std::size_t>(std::numeric_limits<int>::max()) / 3)
        throw InputError(Place{name, 0, 0}, fmt::format("the mesh has {} facets", count),
                         "simplify it");
    return welded(read_binary(bytes, count, name));
}

}  // namespace knead::mesh_format
