#include "knead/picture/thin_pictures.h"

#include <algorithm>
#include <map>

namespace knead {

namespace {

std::size_t row(std::int32_t v) { return static_cast<std::size_t>(v); }

// Radii of rows; zero where the frame has none.
std::vector<float> radii_of(const Frame& frame) {
    return frame.find("pscale") ? frame.floats("pscale") : std::vector<float>(frame.count);
}

float mean_edge(const Frame& frame, const std::vector<Vec3f>& x) {
    double sum = 0;
    for (const auto& t : frame.triangles.corners)
        sum += static_cast<double>(length(x[row(t[1])] - x[row(t[0])]));
    return static_cast<float>(sum / static_cast<double>(frame.triangles.size()));
}

// Sides that only one triangle has, in its direction.
std::vector<std::array<std::int32_t, 2>> rim_of(const Frame& frame) {
    std::map<std::array<std::int32_t, 2>, int> uses;
    const auto side = [](std::int32_t a, std::int32_t b) {
        return std::array<std::int32_t, 2>{std::min(a, b), std::max(a, b)};
    };
    for (const auto& t : frame.triangles.corners)
        for (std::size_t k = 0; k < 3; ++k) ++uses[side(t[k], t[(k + 1) % 3])];
    std::vector<std::array<std::int32_t, 2>> rim;
    for (const auto& t : frame.triangles.corners)
        for (std::size_t k = 0; k < 3; ++k)
            if (uses[side(t[k], t[(k + 1) % 3])] == 1) rim.push_back({t[k], t[(k + 1) % 3]});
    return rim;
}

}  // namespace

std::vector<Vec3f> sheet_normals(const Frame& frame) {
    const std::vector<Vec3f> x = frame.positions();
    std::vector<Vec3f> normals(frame.count, Vec3f{0, 0, 0});
    for (const auto& t : frame.triangles.corners) {
        const Vec3f n = cross(x[row(t[1])] - x[row(t[0])], x[row(t[2])] - x[row(t[0])]);
        for (const std::int32_t v : t) normals[row(v)] += n;
    }
    for (Vec3f& n : normals)
        if (const float size = length(n); size > 0) n = n / size;
    return normals;
}

render::Mesh cloth_of(const Frame& frame, const std::vector<Vec3f>& colors) {
    const std::vector<Vec3f> x = frame.positions(), normals = sheet_normals(frame);
    const std::vector<float> radii = radii_of(frame);
    const float edge = mean_edge(frame, x);

    // front and back of every row that triangles join
    render::Mesh mesh;
    mesh.gloss = 0.1f, mesh.sheen = 0.6f;
    std::vector<std::int32_t> front(frame.count, -1);
    const auto corner = [&](std::int32_t v) {
        if (front[row(v)] >= 0) return front[row(v)];
        front[row(v)] = static_cast<std::int32_t>(mesh.positions.size());
        const float half = std::clamp(radii[row(v)], 0.02f * edge, 0.4f * edge);
        for (const float side : {1.0f, -1.0f}) {
            mesh.positions.push_back(x[row(v)] + side * half * normals[row(v)]);
            mesh.normals.push_back(side * normals[row(v)]);
            mesh.colors.push_back((side > 0 ? 1.0f : 0.8f) * colors[row(v)]);
        }
        return front[row(v)];
    };
    for (const auto& t : frame.triangles.corners) {
        const std::int32_t a = corner(t[0]), b = corner(t[1]), c = corner(t[2]);
        mesh.faces.push_back({a, b, c});
        mesh.faces.push_back({a + 1, c + 1, b + 1});
    }

    // the cut edge
    for (const auto& [from, to] : rim_of(frame)) {
        const Vec3f outward = cross(x[row(to)] - x[row(from)], normals[row(from)]);
        const float size = length(outward);
        const auto first = static_cast<std::int32_t>(mesh.positions.size());
        for (const std::int32_t v : {from, to})
            for (const std::int32_t side : {0, 1}) {
                mesh.positions.push_back(mesh.positions[row(front[row(v)] + side)]);
                mesh.normals.push_back(size > 0 ? outward / size : normals[row(v)]);
                mesh.colors.push_back(colors[row(v)]);
            }
        mesh.faces.push_back({first, first + 1, first + 2});
        mesh.faces.push_back({first + 1, first + 3, first + 2});
    }
    return mesh;
}

render::Tubes tubes_of(const Frame& frame, const std::vector<Vec3f>& colors) {
    const std::vector<Vec3f> x = frame.positions();
    const std::vector<float> radii = radii_of(frame);

    // the neighbours of rows in which a line goes on
    struct Ends {
        std::int32_t other[2] = {-1, -1};
        int count = 0;
    };
    std::vector<Ends> ends(frame.count);
    for (const auto& s : frame.segments.corners)
        for (std::size_t k = 0; k < 2; ++k) {
            Ends& e = ends[row(s[k])];
            if (e.count < 2) e.other[e.count] = s[1 - k];
            ++e.count;
        }
    // where the line through b comes from, seen from a; straight on where it ends or forks
    const auto beyond = [&](std::int32_t a, std::int32_t b) {
        const Ends& e = ends[row(b)];
        if (e.count != 2) return 2.0f * x[row(b)] - x[row(a)];
        return x[row(e.other[0] == a ? e.other[1] : e.other[0])];
    };

    render::Tubes tubes;
    for (const auto& [a, b] : frame.segments.corners) {
        const float ra = std::max(radii[row(a)], 1e-6f), rb = std::max(radii[row(b)], 1e-6f);
        tubes.points.insert(tubes.points.end(), {beyond(b, a), x[row(a)], x[row(b)], beyond(a, b)});
        tubes.radii.insert(tubes.radii.end(), {ra, ra, rb, rb});
        tubes.colors.insert(tubes.colors.end(), {colors[row(a)], colors[row(b)]});
    }
    return tubes;
}

}  // namespace knead
