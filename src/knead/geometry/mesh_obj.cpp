// Wavefront OBJ: vertices, faces with their texture coordinates, and lines; everything else
// (normals, materials, groups) is passed over.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "knead/geometry/mesh_formats.h"

namespace knead::mesh_format {

namespace {

struct Face {
    std::vector<int> corners;
    std::vector<int> textures;  // -1: none
    int line;
};

class ObjReader {
public:
    ObjReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    Mesh read() {
        std::string joined;
        while (!text_.empty()) {
            const int line = line_ + 1;
            std::string_view now = take_line();
            // A backslash at the end of a line carries on in the next.
            if (!now.empty() && now.back() == '\\') {
                joined.assign(now.substr(0, now.size() - 1));
                while (!text_.empty()) {
                    now = take_line();
                    const bool more = !now.empty() && now.back() == '\\';
                    joined.append(1, ' ').append(now.substr(0, now.size() - (more ? 1 : 0)));
                    if (!more) break;
                }
                now = joined;
            }
            read_line(now, line);
        }
        // Faces may name vertices that come later, so they are cut only now.
        const int count = static_cast<int>(mesh_.positions.size());
        for (const Face& face : faces_) {
            check_vertices("face", face.corners, face.line, count);
            add_polygon(mesh_, face.corners, uv_of(face));
        }
        for (const MeshLine& l : mesh_.lines) check_vertices("line", l.points, l.place, count);
        return std::move(mesh_);
    }

private:
    std::string_view text_;
    const std::string& name_;
    int line_ = 0;
    Mesh mesh_;
    std::vector<Face> faces_;
    CornerUv textures_;

    void check_vertices(const char* kind, const std::vector<int>& corners, int line,
                        int count) const {
        for (const int c : corners)
            if (c >= count)
                fail(line, fmt::format("the {} names vertex {} of {}", kind, c + 1, count),
                     "the file is cut short or damaged; export it again");
    }
    // Nothing where a corner has none, or one that is not there.
    CornerUv uv_of(const Face& face) const {
        CornerUv uv;
        for (const int t : face.textures) {
            if (t < 0 || static_cast<std::size_t>(t) >= textures_.size()) return {};
            uv.push_back(textures_[static_cast<std::size_t>(t)]);
        }
        return uv;
    }
    [[noreturn]] void fail(int line, const std::string& what, const std::string& remedy) const {
        throw InputError(Place{name_, line, 0}, what, remedy);
    }
    std::string_view take_line() {
        ++line_;
        const std::size_t end = text_.find('\n');
        std::string_view line = text_.substr(0, end);
        text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        return line;
    }
    void read_line(std::string_view text, int line) {
        text = text.substr(0, text.find('#'));
        Tokens tokens(text, line);
        const std::string_view key = tokens.next();
        if (key == "v") read_vertex(tokens, line);
        if (key == "vt") read_texture(tokens);
        if (key == "f") read_face(tokens, line);
        if (key == "l") read_polyline(tokens, line);
    }
    void read_vertex(Tokens& tokens, int line) {
        double xyz[3];
        for (double& a : xyz) {
            const std::string_view token = tokens.next();
            if (!parse_number(token, a))
                fail(line,
                     token.empty() ? "the vertex has fewer than three coordinates"
                                   : fmt::format("\"{}\" is no coordinate", token.substr(0, 40)),
                     "write v x y z");
        }
        Vec3f vertex;
        if (!make_vertex(xyz[0], xyz[1], xyz[2], vertex))
            fail(line, fmt::format("the vertex is ({}, {}, {})", xyz[0], xyz[1], xyz[2]),
                 "coordinates must be finite");
        if (mesh_.positions.size() >= std::numeric_limits<int>::max())
            fail(line, "the mesh has too many vertices", "simplify it");
        mesh_.positions.push_back(vertex);
    }
    // What is no number counts as 0: a picture needs it, matter does not.
    void read_texture(Tokens& tokens) {
        std::array<float, 2> uv{0, 0};
        for (float& a : uv) {
            double value = 0;
            if (parse_number(tokens.next(), value) && std::fabs(value) < 1e6)
                a = static_cast<float>(value);
        }
        textures_.push_back(uv);
    }
    // A vertex counted from 1, or back from the end when negative, to one counted from 0.
    int vertex_of(std::string_view token, const char* kind, int line) const {
        long long index = 0;
        const auto count = static_cast<long long>(mesh_.positions.size());
        if (!parse_integer(token.substr(0, token.find('/')), index))
            fail(line, fmt::format("\"{}\" is no {} corner", token.substr(0, 40), kind),
                 "write vertex numbers such as 1 2 3 or 1/1/1 2/2/2 3/3/3");
        const long long at = index < 0 ? count + index : index - 1;
        if (at < 0 || at >= std::numeric_limits<int>::max())
            fail(line, fmt::format("the {} names vertex {} of {}", kind, index, count),
                 "vertex numbers start at 1");
        return static_cast<int>(at);
    }
    // The vt of a corner; -1 where there is none.
    int texture_of(std::string_view token) const {
        const std::size_t slash = token.find('/');
        if (slash == std::string_view::npos) return -1;
        token = token.substr(slash + 1);
        long long index = 0;
        if (!parse_integer(token.substr(0, token.find('/')), index)) return -1;
        const long long at =
            index < 0 ? static_cast<long long>(textures_.size()) + index : index - 1;
        return at >= 0 && at < std::numeric_limits<int>::max() ? static_cast<int>(at) : -1;
    }
    void read_polyline(Tokens& tokens, int line) {
        MeshLine l{{}, line};
        for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next())
            l.points.push_back(vertex_of(token, "line", line));
        mesh_.lines.push_back(std::move(l));
    }
    // Each corner is v, v/vt, v//vn or v/vt/vn, counted from 1, or back from the end when negative.
    void read_face(Tokens& tokens, int line) {
        Face face{{}, {}, line};
        for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
            face.corners.push_back(vertex_of(token, "face", line));
            face.textures.push_back(texture_of(token));
        }
        if (face.corners.size() < 3)
            fail(line, fmt::format("the face has {} corners", face.corners.size()),
                 "a face needs at least three");
        faces_.push_back(std::move(face));
    }
};

}  // namespace

Mesh read_obj(std::string_view bytes, const std::string& name) {
    return ObjReader(bytes, name).read();
}

}  // namespace knead::mesh_format
