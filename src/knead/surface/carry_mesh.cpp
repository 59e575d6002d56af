#include "knead/surface/carry_mesh.h"

#include <algorithm>
#include <cmath>

#include "knead/base/error.h"
#include "knead/math/mat.h"
#include "knead/parallel/exec.h"
#include "knead/surface/particle_cells.h"

namespace knead {

namespace {

constexpr std::size_t absent = static_cast<std::size_t>(-1);

std::vector<Vec3f> embedded_positions(const Frame& frame) {
    if (!frame.find("e_x"))
        throw InputError({}, "these particles have no embedded space",
                         "only runs with solver.method = \"embedded\" have one");
    return frame.vectors("e_x", "e_y", "e_z");
}

// Row of the particle with each id of `from` in `to`, or absent. Frames are sorted by id.
std::vector<std::size_t> matching_rows(const Frame& from, const Frame& to) {
    const std::vector<std::int32_t> a = from.integers("id"), b = to.integers("id");
    std::vector<std::size_t> rows(a.size(), absent);
    for (std::size_t i = 0, j = 0; i < a.size(); ++i) {
        while (j < b.size() && b[j] < a[i]) ++j;
        if (j < b.size() && b[j] == a[i]) rows[i] = j;
    }
    return rows;
}

std::vector<std::int32_t> bodies_of(const Frame& frame) {
    return frame.find("body") ? frame.integers("body") : std::vector<std::int32_t>(frame.count, 0);
}

// Particles near points, of the same body.
class Surrounding {
public:
    Surrounding(std::vector<Vec3f> positions, std::vector<std::int32_t> body, double radius)
        : x(std::move(positions)), body_(std::move(body)), radius_(radius), cells_(x, radius) {}

    const std::vector<Vec3f> x;

    // visit(particle, weight) within the radius, widened until there are at least four.
    template <class Visit>
    void for_each(const Vec3d& at, std::int32_t body, const Visit& visit) const {
        double r = radius_;
        for (int tries = 0; tries < 4 && count(at, body, r) < 4; ++tries) r *= 2;
        walk(at, body, r, [&](std::uint32_t n, double q) {
            const double t = 1 - q;
            visit(n, t * t * t);
        });
    }

private:
    template <class Visit>
    void walk(const Vec3d& at, std::int32_t body, double r, const Visit& visit) const {
        cells_.for_each_in_box(at - splat(r), at + splat(r), [&](std::uint32_t n) {
            const double q = length_squared(static_cast<Vec3d>(x[n]) - at) / (r * r);
            if (q < 1 && body_[n] == body) visit(n, q);
        });
    }
    int count(const Vec3d& at, std::int32_t body, double r) const {
        int n = 0;
        walk(at, body, r, [&](std::uint32_t, double) { ++n; });
        return n;
    }

    std::vector<std::int32_t> body_;
    double radius_;
    ParticleCells cells_;
};

// Where a point goes under the linear map that takes the particles around it to target(particle),
// by weighted least squares.
template <class Target>
Vec3d mapped(const Surrounding& around, const Vec3d& at, std::int32_t body, const Target& target) {
    double weight = 0;
    Vec3d from = splat(0.0), to = splat(0.0);
    around.for_each(at, body, [&](std::uint32_t n, double w) {
        weight += w;
        from += w * static_cast<Vec3d>(around.x[n]);
        to += w * target(n);
    });
    if (!(weight > 0)) return at;
    from = from / weight, to = to / weight;
    Mat3d A = 0.0 * identity3<double>(), B = A;
    around.for_each(at, body, [&](std::uint32_t n, double w) {
        const Vec3d d = static_cast<Vec3d>(around.x[n]) - from;
        A = A + outer(w * d, d);
        B = B + outer(w * (target(n) - to), d);
    });
    // Where particles do not span space, that part of the map is a shift.
    const double ridge = 1e-9 * trace(A);
    A = A + ridge * identity3<double>();
    B = B + ridge * identity3<double>();
    if (!(determinant(A) > 0)) return at + (to - from);
    return to + B * (inverse(A) * (at - from));
}

std::int32_t body_of(const SurfaceMesh& mesh, std::size_t v) {
    return mesh.body.empty() ? 0 : mesh.body[v];
}

// Normals of the faces, by area, at the vertices.
void set_normals(SurfaceMesh& mesh) {
    std::vector<Vec3d> sums(mesh.positions.size(), splat(0.0));
    const auto at = [&](std::int32_t v) {
        return static_cast<Vec3d>(mesh.positions[static_cast<std::size_t>(v)]);
    };
    for (const auto& f : mesh.faces) {
        const Vec3d n = cross(at(f.y) - at(f.x), at(f.z) - at(f.x));
        for (int k = 0; k < 3; ++k) sums[static_cast<std::size_t>(f[k])] += n;
    }
    mesh.normals.resize(sums.size());
    for (std::size_t v = 0; v < sums.size(); ++v) {
        const double size = length(sums[v]);
        mesh.normals[v] = static_cast<Vec3f>(size > 0 ? sums[v] / size : Vec3d{0, 1, 0});
    }
}

}  // namespace

SurfaceMesh carry_mesh(const SurfaceMesh& mesh, const Frame& first, const Frame& now,
                       double radius) {
    const Surrounding around(first.positions(), bodies_of(first), radius);
    const std::vector<Vec3f> x = now.positions();
    const std::vector<std::size_t> row = matching_rows(first, now);
    SurfaceMesh moved = mesh;
    for_each(mesh.positions.size(), 256, [&](std::size_t v) {
        double weight = 0;
        Vec3d sum = splat(0.0);
        const Vec3d at = static_cast<Vec3d>(mesh.positions[v]);
        around.for_each(at, body_of(mesh, v), [&](std::uint32_t n, double w) {
            if (row[n] == absent) return;
            weight += w;
            sum += w * static_cast<Vec3d>(x[row[n]] - around.x[n]);
        });
        if (weight > 0) moved.positions[v] = static_cast<Vec3f>(at + sum / weight);
    });
    set_normals(moved);
    moved.frame = now.frame;
    moved.time = now.time;
    return moved;
}

EmbeddedCarrier::EmbeddedCarrier(SurfaceMesh mesh, const Frame& first, double radius)
    : mesh_(std::move(mesh)), previous_(first), radius_(radius), embedded_(mesh_.positions.size()) {
    // From the world to embedded space, by the particles around each vertex.
    const std::vector<Vec3f> e = embedded_positions(first);
    const Surrounding around(first.positions(), bodies_of(first), radius);
    for_each(embedded_.size(), 256, [&](std::size_t v) {
        embedded_[v] = mapped(around, static_cast<Vec3d>(mesh_.positions[v]), body_of(mesh_, v),
                              [&](std::uint32_t n) { return static_cast<Vec3d>(e[n]); });
    });
}

SurfaceMesh EmbeddedCarrier::next(const Frame& frame) {
    const std::vector<Vec3f> e = embedded_positions(frame), x = frame.positions();
    // Particles that were split or merged since are not where they were for that reason alone.
    const std::vector<std::size_t> row = matching_rows(previous_, frame);
    const std::vector<Vec3f> e_before = embedded_positions(previous_);
    const std::vector<std::int32_t> body = bodies_of(previous_);
    std::vector<Vec3f> from, to;
    std::vector<std::int32_t> from_body;
    for (std::size_t n = 0; n < row.size(); ++n) {
        if (row[n] == absent) continue;
        from.push_back(e_before[n]), to.push_back(e[row[n]]), from_body.push_back(body[n]);
    }
    const Surrounding before(from, from_body, radius_), after(e, bodies_of(frame), radius_);
    for_each(embedded_.size(), 256, [&](std::size_t v) {
        // The flow since the frame before, then from embedded space to the world.
        embedded_[v] = mapped(before, embedded_[v], body_of(mesh_, v),
                              [&](std::uint32_t n) { return static_cast<Vec3d>(to[n]); });
        const Vec3d world = mapped(after, embedded_[v], body_of(mesh_, v),
                                   [&](std::uint32_t n) { return static_cast<Vec3d>(x[n]); });
        mesh_.positions[v] = static_cast<Vec3f>(world);
    });
    set_normals(mesh_);
    mesh_.frame = frame.frame;
    mesh_.time = frame.time;
    previous_ = frame;
    return mesh_;
}

Frame in_embedded_space(const Frame& frame) {
    embedded_positions(frame);  // or an error that says why not
    Frame result = frame;
    for (const char* axis : {"x", "y", "z"})
        for (FrameColumn& column : result.columns)
            if (column.name == axis) column.values = frame.floats(std::string("e_") + axis);
    return result;
}

double carry_radius(const Frame& frame) {
    float largest = 0;
    for (const float r : frame.floats("pscale")) largest = std::max(largest, r);
    return 6 * static_cast<double>(largest);
}

}  // namespace knead
