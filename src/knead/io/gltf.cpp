#include "knead/io/gltf.h"

#include <tiny_gltf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>
#include <tuple>

#include "knead/base/error.h"
#include "knead/io/atomic_file.h"
#include "knead/io/body_color.h"

namespace knead {

namespace {

// Grows a glTF model with one buffer.
class Glb {
public:
    Glb(int frame, double time) {
        model_.asset.version = "2.0";
        model_.asset.generator = "knead";
        model_.asset.extras = tinygltf::Value(tinygltf::Value::Object{
            {"up_axis", tinygltf::Value(std::string("+Y"))},
            {"unit", tinygltf::Value(std::string("metre"))},
            {"frame", tinygltf::Value(frame)},
            {"time", tinygltf::Value(time)},
        });
        model_.buffers.emplace_back();
        model_.meshes.emplace_back();
        model_.nodes.emplace_back();
        model_.nodes[0].name = "knead";
        model_.nodes[0].mesh = 0;
        model_.scenes.emplace_back();
        model_.scenes[0].nodes = {0};
        model_.defaultScene = 0;
    }

    // What is added from now on is another mesh, on a node of that name.
    void begin_mesh(const std::string& name) {
        if (!model_.meshes.back().primitives.empty()) {
            model_.scenes[0].nodes.push_back(static_cast<int>(model_.nodes.size()));
            model_.nodes.emplace_back();
            model_.nodes.back().mesh = static_cast<int>(model_.meshes.size());
            model_.meshes.emplace_back();
        }
        model_.nodes.back().name = model_.meshes.back().name = name;
    }
    int texture_coordinates(const std::vector<std::array<float, 2>>& values) {
        return accessor(values.data(), values.size() * sizeof(values[0]), values.size(),
                        TINYGLTF_COMPONENT_TYPE_FLOAT, TINYGLTF_TYPE_VEC2,
                        TINYGLTF_TARGET_ARRAY_BUFFER);
    }
    int vectors(const std::vector<Vec3f>& values, bool with_bounds) {
        const int at = accessor(values.data(), values.size() * sizeof(Vec3f), values.size(),
                                TINYGLTF_COMPONENT_TYPE_FLOAT, TINYGLTF_TYPE_VEC3,
                                TINYGLTF_TARGET_ARRAY_BUFFER);
        if (with_bounds) {
            Vec3f lo = values.front(), hi = lo;
            for (const Vec3f& v : values) lo = min(lo, v), hi = max(hi, v);
            auto& a = model_.accessors.back();
            a.minValues = {double(lo.x), double(lo.y), double(lo.z)};
            a.maxValues = {double(hi.x), double(hi.y), double(hi.z)};
        }
        return at;
    }
    int indices(const std::vector<std::uint32_t>& values) {
        return accessor(values.data(), values.size() * sizeof(std::uint32_t), values.size(),
                        TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT, TINYGLTF_TYPE_SCALAR,
                        TINYGLTF_TARGET_ELEMENT_ARRAY_BUFFER);
    }
    // A plain clay-like material; the colour comes with the vertices.
    int material(const std::string& name, bool two_sided = false) {
        tinygltf::Material m;
        m.doubleSided = two_sided;
        m.name = name;
        m.pbrMetallicRoughness.baseColorFactor = {1, 1, 1, 1};
        m.pbrMetallicRoughness.metallicFactor = 0;
        m.pbrMetallicRoughness.roughnessFactor = 0.6;
        model_.materials.push_back(m);
        return static_cast<int>(model_.materials.size()) - 1;
    }
    void add(const tinygltf::Primitive& primitive) {
        model_.meshes.back().primitives.push_back(primitive);
    }

    void write(const std::string& path) {
        if (model_.meshes[0].primitives.empty()) {  // an empty frame has a scene, but no mesh
            model_.meshes.clear();
            model_.nodes[0].mesh = -1;
            model_.buffers.clear();
        }
        std::ostringstream bytes;
        tinygltf::TinyGLTF writer;
        if (!writer.WriteGltfSceneToStream(&model_, bytes, false, true))
            throw RunError(path + ": glTF cannot be written");
        AtomicFile file(path);
        file.write(bytes.str());
        file.commit();
    }

private:
    int accessor(const void* data, std::size_t bytes, std::size_t count, int component, int type,
                 int target) {
        auto& buffer = model_.buffers[0].data;
        tinygltf::BufferView view;
        view.buffer = 0;
        view.byteOffset = buffer.size();
        view.byteLength = bytes;
        view.target = target;
        buffer.resize(buffer.size() + bytes);  // everything is a multiple of four bytes
        std::memcpy(buffer.data() + view.byteOffset, data, bytes);
        model_.bufferViews.push_back(view);
        tinygltf::Accessor a;
        a.bufferView = static_cast<int>(model_.bufferViews.size()) - 1;
        a.componentType = component;
        a.type = type;
        a.count = count;
        model_.accessors.push_back(a);
        return static_cast<int>(model_.accessors.size()) - 1;
    }
    tinygltf::Model model_;
};

}  // namespace

namespace {

// The faces of one body and the vertices that they use.
struct BodyPart {
    std::vector<std::uint32_t> corners;
    std::vector<std::size_t> vertices;  // of the mesh
};

// Each face is of the body of its first corner.
std::map<std::int32_t, BodyPart> parts_of(const SurfaceMesh& mesh) {
    std::map<std::int32_t, BodyPart> parts;
    constexpr auto none = ~std::uint32_t{0};
    std::map<std::int32_t, std::vector<std::uint32_t>> places;
    for (const auto& f : mesh.faces) {
        const std::int32_t body = mesh.body[static_cast<std::size_t>(f.x)];
        BodyPart& part = parts[body];
        std::vector<std::uint32_t>& place = places[body];
        place.resize(mesh.positions.size(), none);
        for (int k = 0; k < 3; ++k) {
            const auto v = static_cast<std::size_t>(f[k]);
            if (place[v] == none) {
                place[v] = static_cast<std::uint32_t>(part.vertices.size());
                part.vertices.push_back(v);
            }
            part.corners.push_back(place[v]);
        }
    }
    return parts;
}

std::vector<Vec3f> picked(const std::vector<Vec3f>& values, const std::vector<std::size_t>& rows) {
    std::vector<Vec3f> out;
    for (const std::size_t row : rows) out.push_back(values[row]);
    return out;
}

// Of the vertices; nothing where the mesh does not carry it.
std::vector<Vec3f> velocities_of(const SurfaceMesh& mesh) {
    const Frame table{0, 0, mesh.positions.size(), mesh.columns};
    if (!table.find("vx") || !table.find("vy") || !table.find("vz")) return {};
    return table.vectors("vx", "vy", "vz");
}

BodyLabel label_of(const SurfaceMesh& mesh, std::int32_t body) {
    const auto b = static_cast<std::size_t>(body);
    if (b < mesh.labels.size()) return mesh.labels[b];
    const std::string name = "body " + std::to_string(body);
    return {name, name};
}

}  // namespace

void write_glb(const std::string& path, const SurfaceMesh& mesh,
               const std::vector<Vec3f>& body_colors) {
    Glb glb(mesh.frame, mesh.time);
    const std::vector<Vec3f> velocities = velocities_of(mesh);
    for (const auto& [body, part] : parts_of(mesh)) {
        const BodyLabel label = label_of(mesh, body);
        const std::vector<Vec3f> colors =
            mesh.colors.empty()
                ? std::vector<Vec3f>(part.vertices.size(), color_of_body(body_colors, body))
                : picked(mesh.colors, part.vertices);
        glb.begin_mesh(label.name);
        tinygltf::Primitive p;
        p.mode = TINYGLTF_MODE_TRIANGLES;
        p.attributes = {{"POSITION", glb.vectors(picked(mesh.positions, part.vertices), true)},
                        {"NORMAL", glb.vectors(picked(mesh.normals, part.vertices), false)},
                        {"COLOR_0", glb.vectors(colors, false)}};
        if (!velocities.empty())
            p.attributes["_VELOCITY"] = glb.vectors(picked(velocities, part.vertices), false);
        p.indices = glb.indices(part.corners);
        p.material = glb.material(label.material);
        glb.add(p);
    }
    glb.write(path);
}

void write_glb(const std::string& path, const Frame& frame, const std::vector<Vec3f>& body_colors) {
    Glb glb(frame.frame, frame.time);
    if (frame.count > 0) {
        tinygltf::Primitive p;
        p.mode = TINYGLTF_MODE_POINTS;
        p.attributes = {{"POSITION", glb.vectors(frame.positions(), true)},
                        {"COLOR_0", glb.vectors(colors_of_points(frame, body_colors), false)}};
        p.material = glb.material("particles");
        glb.add(p);
    }
    glb.write(path);
}

namespace {

// Vertices as glTF has them: one for every pair of vertex and texture coordinates.
struct TexturedVertices {
    std::vector<std::int32_t> vertex;  // of the mesh
    std::vector<std::array<float, 2>> uv;
    std::vector<std::uint32_t> corners;

    explicit TexturedVertices(const ThinMesh& mesh) {
        std::map<std::tuple<std::int32_t, float, float>, std::uint32_t> known;
        for (std::size_t e = 0; e < mesh.triangles.size(); ++e)
            for (std::size_t k = 0; k < 3; ++k) {
                std::array<float, 2> at{0, 0};
                if (!mesh.uv.empty()) at = {mesh.uv[e][2 * k], mesh.uv[e][2 * k + 1]};
                const std::int32_t v = mesh.triangles[e][k];
                const auto next = static_cast<std::uint32_t>(vertex.size());
                const auto [found, fresh] = known.emplace(std::tuple(v, at[0], at[1]), next);
                if (fresh) vertex.push_back(v), uv.push_back({at[0], 1 - at[1]});  // v runs down
                corners.push_back(found->second);
            }
    }
    std::vector<Vec3f> pick(const std::vector<Vec3f>& values) const {
        std::vector<Vec3f> out;
        for (const std::int32_t v : vertex) out.push_back(values[static_cast<std::size_t>(v)]);
        return out;
    }
};

void add_triangles(Glb& glb, const ThinMesh& mesh, const Vec3f& color) {
    if (mesh.triangles.empty()) return;
    const TexturedVertices vertices(mesh);
    tinygltf::Primitive p;
    p.mode = TINYGLTF_MODE_TRIANGLES;
    const std::vector<Vec3f> colors(vertices.vertex.size(), color);
    p.attributes = {{"POSITION", glb.vectors(vertices.pick(mesh.positions), true)},
                    {"NORMAL", glb.vectors(vertices.pick(vertex_normals(mesh)), false)},
                    {"COLOR_0", glb.vectors(colors, false)}};
    if (!mesh.uv.empty()) p.attributes["TEXCOORD_0"] = glb.texture_coordinates(vertices.uv);
    p.indices = glb.indices(vertices.corners);
    p.material = glb.material(mesh.name, true);
    glb.add(p);
}

void add_lines(Glb& glb, const ThinMesh& mesh, const Vec3f& color) {
    if (mesh.segments.empty()) return;
    std::vector<std::uint32_t> ends;
    for (const auto& s : mesh.segments)
        for (const std::int32_t v : s) ends.push_back(static_cast<std::uint32_t>(v));
    tinygltf::Primitive p;
    p.mode = TINYGLTF_MODE_LINE;
    const std::vector<Vec3f> colors(mesh.positions.size(), color);
    p.attributes = {{"POSITION", glb.vectors(mesh.positions, true)},
                    {"COLOR_0", glb.vectors(colors, false)}};
    p.indices = glb.indices(ends);
    p.material = glb.material(mesh.name);
    glb.add(p);
}

}  // namespace

void write_glb(const std::string& path, const std::vector<ThinMesh>& bodies, int frame, double time,
               const std::vector<Vec3f>& body_colors) {
    Glb glb(frame, time);
    for (const ThinMesh& mesh : bodies) {
        const Vec3f color = color_of_body(body_colors, mesh.body);
        glb.begin_mesh(mesh.name);
        add_triangles(glb, mesh, color);
        add_lines(glb, mesh, color);
    }
    glb.write(path);
}

}  // namespace knead
