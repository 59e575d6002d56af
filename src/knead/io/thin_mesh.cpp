#include "knead/io/thin_mesh.h"

#include <fmt/format.h>

#include <iterator>
#include <map>

#include "knead/io/atomic_file.h"

namespace knead {

namespace {

std::size_t row(std::int32_t v) { return static_cast<std::size_t>(v); }

std::string name_of(int body, const std::vector<std::string>& names) {
    const auto b = static_cast<std::size_t>(body);
    return b < names.size() ? names[b] : fmt::format("body_{}", body);
}

}  // namespace

std::vector<ThinMesh> thin_meshes(const Frame& frame, const std::vector<std::string>& names) {
    const std::vector<char> joined = joined_rows(frame);
    const std::vector<std::int32_t> body =
        frame.find("body") ? frame.integers("body") : std::vector<std::int32_t>(frame.count);
    const std::vector<Vec3f> x = frame.positions();

    // vertices, in the order of rows
    std::map<int, ThinMesh> meshes;
    std::vector<std::int32_t> local(frame.count, -1);
    for (std::size_t i = 0; i < frame.count; ++i) {
        if (!joined[i]) continue;
        ThinMesh& mesh = meshes[body[i]];
        local[i] = static_cast<std::int32_t>(mesh.positions.size());
        mesh.positions.push_back(x[i]);
    }

    // what joins them
    const bool uv = !frame.triangles.uv.empty();
    for (std::size_t e = 0; e < frame.triangles.size(); ++e) {
        const auto& t = frame.triangles.corners[e];
        ThinMesh& mesh = meshes[body[row(t[0])]];
        mesh.triangles.push_back({local[row(t[0])], local[row(t[1])], local[row(t[2])]});
        if (uv) mesh.uv.push_back(frame.triangles.uv[e]);
    }
    for (const auto& s : frame.segments.corners)
        meshes[body[row(s[0])]].segments.push_back({local[row(s[0])], local[row(s[1])]});

    std::vector<ThinMesh> list;
    for (auto& [number, mesh] : meshes) {
        mesh.body = number;
        mesh.name = name_of(number, names);
        list.push_back(std::move(mesh));
    }
    return list;
}

std::vector<Vec3f> vertex_normals(const ThinMesh& mesh) {
    std::vector<Vec3f> normals(mesh.positions.size(), Vec3f{0, 0, 0});
    for (const auto& t : mesh.triangles) {
        const Vec3f a = mesh.positions[row(t[0])];
        const Vec3f n = cross(mesh.positions[row(t[1])] - a, mesh.positions[row(t[2])] - a);
        for (const std::int32_t v : t) normals[row(v)] += n;
    }
    for (Vec3f& n : normals)
        if (const float size = length(n); size > 0) n = n / size;
    return normals;
}

void write_obj(const std::string& path, const ThinMesh& mesh) {
    fmt::memory_buffer text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "# metres, y up\no {}\n", mesh.name);
    for (const Vec3f& x : mesh.positions) fmt::format_to(out, "v {} {} {}\n", x.x, x.y, x.z);
    for (const auto& uv : mesh.uv)
        fmt::format_to(out, "vt {} {}\nvt {} {}\nvt {} {}\n", uv[0], uv[1], uv[2], uv[3], uv[4],
                       uv[5]);
    for (std::size_t e = 0; e < mesh.triangles.size(); ++e) {
        const auto& t = mesh.triangles[e];
        if (mesh.uv.empty())
            fmt::format_to(out, "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
        else
            fmt::format_to(out, "f {}/{} {}/{} {}/{}\n", t[0] + 1, 3 * e + 1, t[1] + 1, 3 * e + 2,
                           t[2] + 1, 3 * e + 3);
    }
    for (const auto& s : mesh.segments) fmt::format_to(out, "l {} {}\n", s[0] + 1, s[1] + 1);
    AtomicFile file(path);
    file.write(fmt::to_string(text));
    file.commit();
}

}  // namespace knead
