// PLY, text and binary of either byte order: x, y, z of the vertices, the faces' index lists, and
// texture coordinates of either, in whatever order and type the header states; everything else is
// passed over.
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <limits>

#include "knead/geometry/mesh_formats.h"
#include "knead/geometry/ply_header.h"

namespace knead::mesh_format {

namespace {

using Property = PlyProperty;
using Element = PlyElementHeader;

// The numbers after the header, one by one.
class Body {
public:
    Body(std::string_view bytes, const PlyHeader& header, const std::string& name)
        : rest_(bytes.substr(header.end)),
          tokens_(rest_, header.lines + 1),
          start_(header.end),
          layout_(header.layout),
          name_(name) {}

    double number(PlyType type) {
        if (layout_ == PlyLayout::text) return text_number();
        const std::size_t size = size_of(type);
        if (rest_.size() - at_ < size) fail("the file ends too early", "export it again");
        std::uint64_t bits = 0;
        for (std::size_t k = 0; k < size; ++k) {
            const std::size_t byte = layout_ == PlyLayout::big_endian ? k : size - 1 - k;
            bits = (bits << 8) | static_cast<unsigned char>(rest_[at_ + byte]);
        }
        at_ += size;
        return decode(bits, type);
    }
    // No more than this many numbers of `size` bytes can follow.
    std::size_t room(std::size_t size) const {
        return layout_ == PlyLayout::text ? rest_.size() / 2 + 1 : (rest_.size() - at_) / size;
    }
    bool text() const { return layout_ == PlyLayout::text; }
    [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
        if (text()) throw InputError(Place{name_, tokens_.line(), 0}, what, remedy);
        throw InputError(Place{name_, 0, 0}, fmt::format("at byte {}: {}", start_ + at_, what),
                         remedy);
    }

private:
    std::string_view rest_;
    Tokens tokens_;
    std::size_t at_ = 0;
    std::size_t start_;
    PlyLayout layout_;
    const std::string& name_;

    double text_number() {
        const std::string_view token = tokens_.next();
        double value = 0;
        if (token.empty()) fail("the file ends too early", "export it again");
        if (!parse_number(token, value))
            fail(fmt::format("\"{}\" is no number", token.substr(0, 40)), "export it again");
        return value;
    }
    static double decode(std::uint64_t bits, PlyType type) {
        switch (type) {
            case PlyType::i8:
                return static_cast<std::int8_t>(bits);
            case PlyType::u8:
                return static_cast<std::uint8_t>(bits);
            case PlyType::i16:
                return static_cast<std::int16_t>(bits);
            case PlyType::u16:
                return static_cast<std::uint16_t>(bits);
            case PlyType::i32:
                return static_cast<std::int32_t>(bits);
            case PlyType::u32:
                return static_cast<std::uint32_t>(bits);
            case PlyType::f32:
                return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
            default:
                return std::bit_cast<double>(bits);
        }
    }
};

class PlyReader {
public:
    PlyReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

    Mesh read() {
        const PlyHeader header = read_ply_header(bytes_, name_);
        Body body(bytes_, header, name_);
        for (const Element& e : header.elements) {
            check_room(body, e);
            if (e.name == "vertex") {
                read_vertices(body, e);
            } else if (e.name == "face") {
                read_faces(body, e);
            } else if (!e.properties.empty()) {
                for (std::size_t i = 0; i < e.count; ++i)
                    for (const Property& p : e.properties) skip(body, p);
            }
        }
        for (std::size_t i = 0; i < faces_.size(); ++i) cut_face(i);
        return std::move(mesh_);
    }

private:
    std::string_view bytes_;
    const std::string& name_;
    Mesh mesh_;
    std::vector<std::vector<long long>> faces_;
    std::vector<std::vector<float>> face_uv_;  // of faces; empty: none
    CornerUv vertex_uv_;                       // of vertices; empty: none

    // 0 or 1 for a texture coordinate of a vertex, -1 for anything else.
    static int texture_axis(const Property& p) {
        if (p.is_list) return -1;
        if (p.name == "s" || p.name == "u" || p.name == "texture_u") return 0;
        return p.name == "t" || p.name == "v" || p.name == "texture_v" ? 1 : -1;
    }
    static float to_texture(double a) { return a > -1e6 && a < 1e6 ? static_cast<float>(a) : 0.0f; }

    // A header that lies about its counts must not make us reserve memory or spin.
    void check_room(const Body& body, const Element& e) const {
        std::size_t row = 0;
        for (const Property& p : e.properties) row += body.text() ? 1 : p.least_size();
        if (row == 0 && e.count > 0 && (e.name == "vertex" || e.name == "face"))
            throw InputError({name_}, fmt::format("element {} has no properties", e.name),
                             "export it again");
        if (row > 0 && e.count > body.room(row))
            body.fail(fmt::format("{} {} rows cannot fit in the rest of the file", e.count, e.name),
                      "it is cut short or damaged; export it again");
        if (e.count >= static_cast<std::size_t>(std::numeric_limits<int>::max()) && row > 0)
            body.fail("the mesh is too large", "simplify it");
    }
    std::size_t list_size(Body& body, const Property& p) const {
        const double n = body.number(p.count_type);
        const double room = static_cast<double>(body.room(size_of(p.type)));
        if (!(n >= 0 && n <= room) || n != static_cast<double>(static_cast<long long>(n)))
            body.fail(fmt::format("a list of {} entries cannot fit in the rest of the file", n),
                      "it is cut short or damaged; export it again");
        return static_cast<std::size_t>(n);
    }
    void skip(Body& body, const Property& p) const {
        const std::size_t n = p.is_list ? list_size(body, p) : 1;
        for (std::size_t k = 0; k < n; ++k) body.number(p.type);
    }
    void read_vertices(Body& body, const Element& e) {
        int found = 0;  // a bit for each
        for (const Property& p : e.properties)
            if (!p.is_list && (p.name == "x" || p.name == "y" || p.name == "z"))
                found |= 1 << (p.name[0] - 'x');
        if (found != 7)
            body.fail("the vertices lack one of the properties x, y, z", "export it again");
        int textured = 0;
        for (const Property& p : e.properties)
            if (texture_axis(p) >= 0) textured |= 1 << texture_axis(p);
        for (std::size_t i = 0; i < e.count; ++i) {
            double xyz[3] = {0, 0, 0};
            std::array<float, 2> uv{0, 0};
            for (const Property& p : e.properties) {
                const bool wanted =
                    !p.is_list && p.name.size() == 1 && p.name[0] >= 'x' && p.name[0] <= 'z';
                if (wanted)
                    xyz[p.name[0] - 'x'] = body.number(p.type);
                else if (texture_axis(p) >= 0)
                    uv[static_cast<std::size_t>(texture_axis(p))] = to_texture(body.number(p.type));
                else
                    skip(body, p);
            }
            Vec3f vertex;
            if (!make_vertex(xyz[0], xyz[1], xyz[2], vertex))
                body.fail(fmt::format("vertex {} is ({}, {}, {})", i, xyz[0], xyz[1], xyz[2]),
                          "coordinates must be finite");
            mesh_.positions.push_back(vertex);
            if (textured == 3) vertex_uv_.push_back(uv);
        }
    }
    void read_faces(Body& body, const Element& e) {
        const auto is_indices = [](const Property& p) {
            return p.is_list && (p.name == "vertex_indices" || p.name == "vertex_index");
        };
        bool found = false;
        for (const Property& p : e.properties) found = found || is_indices(p);
        if (!found && e.count > 0)
            body.fail("the faces lack the list vertex_indices", "export it with faces");
        for (std::size_t i = 0; i < e.count; ++i) {
            faces_.emplace_back();
            for (const Property& p : e.properties) {
                if (p.is_list && p.name == "texcoord") {
                    face_uv_.resize(faces_.size());
                    face_uv_.back().resize(list_size(body, p));
                    for (float& a : face_uv_.back()) a = to_texture(body.number(p.type));
                    continue;
                }
                if (!is_indices(p)) {
                    skip(body, p);
                    continue;
                }
                faces_.back().resize(list_size(body, p));
                for (long long& v : faces_.back()) v = to_index(body.number(p.type));
            }
        }
    }
    // Anything that is no index becomes -1, and is reported when the face is cut.
    static long long to_index(double v) {
        const bool fine = v >= 0 && v < std::numeric_limits<int>::max();
        return fine && v == static_cast<double>(static_cast<long long>(v))
                   ? static_cast<long long>(v)
                   : -1;
    }
    CornerUv uv_of(std::size_t face, const std::vector<int>& corners) const {
        CornerUv uv;
        const bool own = face < face_uv_.size() && face_uv_[face].size() == 2 * corners.size();
        for (std::size_t k = 0; k < corners.size(); ++k)
            if (own)
                uv.push_back({face_uv_[face][2 * k], face_uv_[face][2 * k + 1]});
            else if (!vertex_uv_.empty())
                uv.push_back(vertex_uv_[static_cast<std::size_t>(corners[k])]);
        return uv;
    }
    void cut_face(std::size_t i) {
        std::vector<int> corners;
        for (const long long v : faces_[i]) {
            if (v < 0 || v >= static_cast<long long>(mesh_.positions.size()))
                throw InputError(Place{name_, 0, 0},
                                 fmt::format("face {} names a vertex that is not among the {}", i,
                                             mesh_.positions.size()),
                                 "the file is cut short or damaged; export it again");
            corners.push_back(static_cast<int>(v));
        }
        if (corners.size() < 3)
            throw InputError(Place{name_, 0, 0},
                             fmt::format("face {} has {} corners", i, corners.size()),
                             "a face needs at least three");
        add_polygon(mesh_, corners, uv_of(i, corners));
    }
};

}  // namespace

Mesh read_ply(std::string_view bytes, const std::string& name) {
    return PlyReader(bytes, name).read();
}

}  // namespace knead::mesh_format
