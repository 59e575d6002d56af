#include "knead/geometry/weave/thin_body.h"

#include <algorithm>
#include <cmath>

#include "knead/base/error.h"

namespace knead {

namespace {

using Edge = std::array<int, 2>;

Edge edge_of(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

// Every side of every triangle, sorted, as often as it occurs.
std::vector<Edge> sides(const ThinBody& body) {
    std::vector<Edge> all;
    all.reserve(3 * body.triangles.size());
    for (const auto& t : body.triangles)
        for (int k = 0; k < 3; ++k)
            all.push_back(
                edge_of(t[static_cast<std::size_t>(k)], t[static_cast<std::size_t>((k + 1) % 3)]));
    std::sort(all.begin(), all.end());
    return all;
}

[[noreturn]] void refuse(const std::string& name, const std::string& what,
                         const std::string& remedy) {
    throw InputError(Place{name}, what, remedy);
}

template <std::size_t N>
void check_indices(const ThinBody& body, const std::vector<std::array<int, N>>& elements,
                   const std::string& name, const char* kind) {
    const int count = static_cast<int>(body.vertices.size());
    for (std::size_t e = 0; e < elements.size(); ++e)
        for (std::size_t k = 0; k < N; ++k) {
            const int i = elements[e][k];
            if (i < 0 || i >= count)
                refuse(name,
                       std::string(kind) + " " + std::to_string(e + 1) + " names vertex " +
                           std::to_string(i + 1) + " of " + std::to_string(count),
                       "mend the mesh");
            for (std::size_t other = 0; other < k; ++other)
                if (elements[e][other] == i)
                    refuse(
                        name,
                        std::string(kind) + " " + std::to_string(e + 1) + " names a vertex twice",
                        "remove it");
        }
}

void check_sizes(const ThinBody& body, const std::string& name) {
    const EdgeLengths lengths = edge_lengths(body);
    const double least = 1e-6 * lengths.mean;
    if (!(least > 0 && std::isfinite(least)))
        refuse(name, "all of its vertices are at one place, or infinitely far apart",
               "give it a size");
    for (std::size_t e = 0; e < body.segments.size(); ++e)
        if (!(length(body.at_rest(body.segments[e][1]) - body.at_rest(body.segments[e][0])) >=
              least))
            refuse(name, "segment " + std::to_string(e + 1) + " has no length",
                   "remove it, or join its two vertices");
    for (std::size_t e = 0; e < body.triangles.size(); ++e) {
        const auto& t = body.triangles[e];
        const Vec3d a = body.at_rest(t[0]), b = body.at_rest(t[1]), c = body.at_rest(t[2]);
        if (!(length(cross(b - a, c - a)) >= least * lengths.mean))
            refuse(name, "triangle " + std::to_string(e + 1) + " has no area",
                   "remove it, or weld its vertices");
    }
}

void check_use(const ThinBody& body, const std::string& name) {
    std::vector<char> used(body.vertices.size(), 0);
    for (const auto& t : body.triangles)
        for (const int i : t) used[static_cast<std::size_t>(i)] = 1;
    for (const auto& s : body.segments)
        for (const int i : s) used[static_cast<std::size_t>(i)] = 1;
    const auto idle = std::find(used.begin(), used.end(), 0);
    if (idle != used.end())
        refuse(name, "nothing uses vertex " + std::to_string(idle - used.begin() + 1),
               "remove it; matter without triangles or segments is a volume body");
}

}  // namespace

EdgeLengths edge_lengths(const ThinBody& body) {
    std::vector<Edge> edges = sides(body);
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (const auto& s : body.segments) edges.push_back({s[0], s[1]});
    EdgeLengths all;
    if (edges.empty()) return all;
    all.shortest = 1e300;
    for (const Edge& e : edges) {
        const double l = length(body.at_rest(e[1]) - body.at_rest(e[0]));
        all.shortest = std::min(all.shortest, l);
        all.longest = std::max(all.longest, l);
        all.mean += l / static_cast<double>(edges.size());
    }
    return all;
}

void append(ThinBody& a, const ThinBody& b) {
    const int shift = static_cast<int>(a.vertices.size());
    if (a.rest.empty() && !b.rest.empty()) a.rest = a.vertices;
    if (!a.rest.empty()) {
        const auto& rest = b.rest.empty() ? b.vertices : b.rest;
        a.rest.insert(a.rest.end(), rest.begin(), rest.end());
    }
    a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
    if (!a.uv.empty() || !b.uv.empty()) {
        a.uv.resize(a.triangles.size());
        a.uv.insert(a.uv.end(), b.uv.begin(), b.uv.end());
        a.uv.resize(a.triangles.size() + b.triangles.size());
    }
    for (const auto& t : b.triangles)
        a.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    for (const auto& s : b.segments) a.segments.push_back({s[0] + shift, s[1] + shift});
    for (const auto& [name, members] : b.groups)
        for (const int i : members) a.groups[name].push_back(i + shift);
}

void check_thin_body(const ThinBody& body, const std::string& name) {
    if (body.triangles.empty() && body.segments.empty())
        refuse(name, "has neither triangles nor segments", "a sheet or curves need some");
    check_indices(body, body.triangles, name, "triangle");
    check_indices(body, body.segments, name, "segment");
    check_sizes(body, name);
    check_use(body, name);
    const std::vector<Edge> all = sides(body);
    for (std::size_t i = 2; i < all.size(); ++i)
        if (all[i] == all[i - 2])
            refuse(name,
                   "more than two triangles meet in the edge between vertices " +
                       std::to_string(all[i][0] + 1) + " and " + std::to_string(all[i][1] + 1),
                   "cut the sheet there");
}

}  // namespace knead
