#include "knead/geometry/weave/plies.h"

#include <cmath>

#include "knead/math/qr.h"

namespace knead {

namespace {

// Lines of vertices between ends and meeting points.
std::vector<std::vector<int>> lines_of(const ThinBody& body) {
    const std::size_t n = body.vertices.size();
    std::vector<std::vector<std::size_t>> at(n);  // segments of each vertex
    for (std::size_t s = 0; s < body.segments.size(); ++s)
        for (const int v : body.segments[s]) at[static_cast<std::size_t>(v)].push_back(s);
    std::vector<char> done(body.segments.size(), 0);
    std::vector<std::vector<int>> lines;
    const auto follow = [&](int start, std::size_t segment) {
        std::vector<int> line{start};
        for (;;) {
            done[segment] = 1;
            const auto& s = body.segments[segment];
            const int next = s[0] == line.back() ? s[1] : s[0];
            line.push_back(next);
            const auto& here = at[static_cast<std::size_t>(next)];
            if (here.size() != 2) break;
            segment = here[0] == segment ? here[1] : here[0];
            if (done[segment]) break;
        }
        lines.push_back(std::move(line));
    };
    for (std::size_t v = 0; v < n; ++v)
        if (at[v].size() != 2)
            for (const std::size_t s : at[v])
                if (!done[s]) follow(static_cast<int>(v), s);
    for (std::size_t s = 0; s < done.size(); ++s)  // rings
        if (!done[s]) follow(body.segments[s][0], s);
    return lines;
}

Vec3d tangent(const std::vector<Vec3d>& line, std::size_t i) {
    const std::size_t last = line.size() - 1;
    return normalized(line[i < last ? i + 1 : last] - line[i > 0 ? i - 1 : 0]);
}

}  // namespace

std::vector<Vec3d> least_turning_normals(const std::vector<Vec3d>& line) {
    std::vector<Vec3d> normals;
    Vec3d normal = normalized(qr_detail::any_across(tangent(line, 0)));
    for (std::size_t i = 0; i < line.size(); ++i) {
        const Vec3d along = tangent(line, i);
        normal = normalized(normal - dot(normal, along) * along);
        normals.push_back(normal);
    }
    return normals;
}

ThinBody with_plies(const ThinBody& body, int plies, double radius, double turns) {
    std::vector<int> degree(body.vertices.size(), 0);
    for (const auto& s : body.segments)
        for (const int v : s) ++degree[static_cast<std::size_t>(v)];
    ThinBody made;
    std::vector<std::vector<int>> copies(body.vertices.size());
    for (const std::vector<int>& line : lines_of(body)) {
        std::vector<Vec3d> places;
        for (const int v : line) places.push_back(body.vertex(v));
        const std::vector<Vec3d> across = least_turning_normals(places);
        std::vector<std::vector<int>> threads(static_cast<std::size_t>(plies));
        double covered = 0;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (i > 0) covered += length(places[i] - places[i - 1]);
            const Vec3d other = cross(tangent(places, i), across[i]);
            auto& copy = copies[static_cast<std::size_t>(line[i])];
            const bool meets = degree[static_cast<std::size_t>(line[i])] > 2;
            for (int k = 0; k < plies; ++k) {
                const double angle =
                    2 * M_PI * (turns * covered / (100 * radius) + static_cast<double>(k) / plies);
                if (!meets || copy.empty())
                    copy.push_back(
                        made.add(places[i] + (meets ? 0 : radius) * (std::cos(angle) * across[i] +
                                                                     std::sin(angle) * other)));
                threads[static_cast<std::size_t>(k)].push_back(meets ? copy.front() : copy.back());
            }
        }
        for (const auto& thread : threads) made.join(thread);
    }
    for (const auto& [name, members] : body.groups)
        for (const int v : members)
            for (const int copy : copies[static_cast<std::size_t>(v)])
                made.groups[name].push_back(copy);
    return made;
}

}  // namespace knead
