#include "knead/geometry/weave/read_thin.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "knead/base/error.h"
#include "knead/base/input_file.h"
#include "knead/geometry/mesh.h"

namespace knead {

namespace {

const char* const set_repair = "or set repair = true to drop them";

std::string at(const Vec3d& x) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", x.x, x.y, x.z); }

std::string times(std::size_t n, const char* one, const char* many) {
    return n == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", n, many);
}

// For each vertex the first one at the same place.
std::vector<int> first_at_place(const ThinBody& body) {
    std::vector<int> order(body.vertices.size()), first(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    const auto key = [&](int i) {
        const Vec3d& x = body.vertex(i);
        return std::tuple(x.x, x.y, x.z);
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
    for (std::size_t k = 0; k < order.size(); ++k) {
        const bool same = k > 0 && key(order[k]) == key(order[k - 1]);
        first[static_cast<std::size_t>(order[k])] =
            same ? first[static_cast<std::size_t>(order[k - 1])] : order[k];
    }
    return first;
}

// visit(vertex) for every corner of every element.
template <class Visit>
void for_each_corner(ThinBody& body, const Visit& visit) {
    for (auto& t : body.triangles)
        for (int& i : t) visit(i);
    for (auto& s : body.segments)
        for (int& i : s) visit(i);
}

// Vertex i becomes to[i]; a group loses those that become -1.
void renumber(ThinBody& body, const std::vector<int>& to) {
    for_each_corner(body, [&](int& i) { i = to[static_cast<std::size_t>(i)]; });
    for (auto& [name, members] : body.groups) {
        for (int& i : members) i = to[static_cast<std::size_t>(i)];
        std::erase(members, -1);
    }
}

std::size_t weld(ThinBody& body) {
    const std::vector<int> first = first_at_place(body);
    std::size_t moved = 0;
    for (std::size_t i = 0; i < first.size(); ++i) moved += first[i] != static_cast<int>(i);
    renumber(body, first);
    return moved;
}

std::size_t drop_unused(ThinBody& body) {
    std::vector<int> to(body.vertices.size(), -1);
    for_each_corner(body, [&](int& i) { to[static_cast<std::size_t>(i)] = 0; });
    std::vector<Vec3d> kept;
    for (std::size_t i = 0; i < to.size(); ++i)
        if (to[i] == 0) to[i] = static_cast<int>(kept.size()), kept.push_back(body.vertices[i]);
    const std::size_t gone = body.vertices.size() - kept.size();
    body.vertices = std::move(kept);
    renumber(body, to);
    return gone;
}

bool is_flat(const ThinBody& body, const std::array<int, 3>& t, double mean) {
    const Vec3d a = body.vertex(t[0]);
    return length(cross(body.vertex(t[1]) - a, body.vertex(t[2]) - a)) <= 1e-6 * mean * mean;
}
bool is_short(const ThinBody& body, const std::array<int, 2>& s, double mean) {
    return length(body.vertex(s[1]) - body.vertex(s[0])) <= 1e-6 * mean;
}

// Elements that join the same vertices as an earlier one, whichever way round.
template <class Element>
std::vector<char> find_doubles(const std::vector<Element>& elements) {
    std::vector<char> is_double;
    std::set<Element> seen;
    for (Element e : elements) {
        std::sort(e.begin(), e.end());
        is_double.push_back(!seen.insert(e).second);
    }
    return is_double;
}

template <class T>
void drop(std::vector<T>& all, const std::vector<char>& which) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!which[i]) all[kept++] = all[i];
    all.resize(kept);
}

std::size_t drop_doubles(ThinBody& body) {
    const std::size_t before = body.triangles.size() + body.segments.size();
    const std::vector<char> triangles = find_doubles(body.triangles);
    if (!body.uv.empty()) drop(body.uv, triangles);
    drop(body.triangles, triangles);
    drop(body.segments, find_doubles(body.segments));
    return before - body.triangles.size() - body.segments.size();
}

// Elements without size.
std::size_t drop_degenerate(ThinBody& body) {
    const double mean = edge_lengths(body).mean;
    const std::size_t before = body.triangles.size() + body.segments.size();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < body.triangles.size(); ++i) {
        if (is_flat(body, body.triangles[i], mean)) continue;
        body.triangles[kept] = body.triangles[i];
        if (!body.uv.empty()) body.uv[kept] = body.uv[i];
        ++kept;
    }
    body.triangles.resize(kept);
    if (!body.uv.empty()) body.uv.resize(kept);
    std::erase_if(body.segments, [&](const auto& s) { return is_short(body, s, mean); });
    return before - body.triangles.size() - body.segments.size();
}

void repair(ThinFile& file) {
    const auto note = [&](std::size_t n, const std::string& text) {
        if (n > 0) file.notes.push_back("repaired: " + text);
    };
    const std::size_t welded = weld(file.body);
    note(welded, "welded " + times(welded, "vertex", "vertices") + " to others at the same place");
    const std::size_t flat = drop_degenerate(file.body);
    note(flat, "dropped " + times(flat, "element", "elements") + " without size");
    const std::size_t doubles = drop_doubles(file.body);
    note(doubles,
         "dropped " + times(doubles, "element that was", "elements that were") + " there twice");
    const std::size_t idle = drop_unused(file.body);
    // what was welded is unused for that reason
    if (idle > welded)
        note(1, "dropped " + times(idle - welded, "vertex", "vertices") + " that nothing uses");
}

// What repair would mend, said with its place.
void refuse_defects(const ThinBody& body, const std::string& name) {
    const double mean = edge_lengths(body).mean;
    for (std::size_t e = 0; e < body.triangles.size(); ++e)
        if (is_flat(body, body.triangles[e], mean))
            throw InputError({name},
                             fmt::format("triangle {} at {} has no area", e + 1,
                                         at(body.vertex(body.triangles[e][0]))),
                             fmt::format("remove such triangles, {}", set_repair));
    for (std::size_t e = 0; e < body.segments.size(); ++e)
        if (is_short(body, body.segments[e], mean))
            throw InputError({name},
                             fmt::format("segment {} at {} has no length", e + 1,
                                         at(body.vertex(body.segments[e][0]))),
                             fmt::format("remove such segments, {}", set_repair));
    const auto refuse_double = [&](const auto& elements, const char* kind) {
        const std::vector<char> is_double = find_doubles(elements);
        for (std::size_t e = 0; e < is_double.size(); ++e)
            if (is_double[e])
                throw InputError({name},
                                 fmt::format("{} {} at {} was there before", kind, e + 1,
                                             at(body.vertex(elements[e][0]))),
                                 fmt::format("remove such {}s, {}", kind, set_repair));
    };
    refuse_double(body.triangles, "triangle");
    refuse_double(body.segments, "segment");
    ThinBody used = body;
    if (const std::size_t idle = drop_unused(used); idle > 0)
        throw InputError({name},
                         fmt::format("{} that nothing uses",
                                     times(idle, "vertex is there", "vertices are there")),
                         fmt::format("remove them, {}", set_repair));
}

void note_open_seams(ThinFile& file) {
    ThinBody copy = file.body;
    const std::size_t double_vertices = weld(copy);
    if (double_vertices == 0) return;
    const std::vector<int> first = first_at_place(file.body);
    std::size_t i = 0;
    while (first[i] == static_cast<int>(i)) ++i;
    file.notes.push_back(fmt::format(
        "{} another one does, the first at {}: nothing joins them; repair = true welds them",
        times(double_vertices, "vertex stands where", "vertices stand where"),
        at(file.body.vertices[i])));
}

// Height over the longest side.
double thinness(const ThinBody& body, const std::array<int, 3>& t) {
    const Vec3d a = body.vertex(t[0]), b = body.vertex(t[1]), c = body.vertex(t[2]);
    const double longest = std::max({length(b - a), length(c - b), length(a - c)});
    return length(cross(b - a, c - a)) / (longest * longest);
}
// Length over the mean one.
double shortness(const ThinBody& body, const std::array<int, 2>& s, double mean) {
    return length(body.vertex(s[1]) - body.vertex(s[0])) / mean;
}

// Elements so thin that the rounding of velocities strains them.
void note_needles(ThinFile& file) {
    constexpr double least = 2e-3;
    const ThinBody& body = file.body;
    const double mean = edge_lengths(body).mean;
    std::size_t needles = 0, first = 0, specks = 0, first_speck = 0;
    for (std::size_t e = body.triangles.size(); e-- > 0;)
        if (thinness(body, body.triangles[e]) < least) ++needles, first = e;
    for (std::size_t e = body.segments.size(); e-- > 0;)
        if (shortness(body, body.segments[e], mean) < least) ++specks, first_speck = e;
    if (needles > 0)
        file.notes.push_back(fmt::format(
            "{} less than a five-hundredth as high as long, the first at {}: rounding strains "
            "needles; mesh it anew there",
            times(needles, "triangle is", "triangles are"),
            at(body.vertex(body.triangles[first][0]))));
    if (specks > 0)
        file.notes.push_back(fmt::format(
            "{} less than a five-hundredth of the mean length, the first at {}: rounding strains "
            "specks; join their ends",
            times(specks, "segment has", "segments have"),
            at(body.vertex(body.segments[first_speck][0]))));
}

void place(ThinBody& body, const ThinFilePlan& plan, const std::string& name) {
    Box3 box;
    for (const Vec3d& x : body.vertices) box.add(x);
    const Vec3d sides = box.size();
    const double longest = std::max({sides.x, sides.y, sides.z});
    if (!(longest > 0))
        throw InputError({name}, "all vertices are at one place", "export it again");
    const double scale = plan.size ? *plan.size / longest : plan.scale;
    const Vec3d from = box.center(), to = plan.center.value_or(scale * from);
    for (Vec3d& x : body.vertices) x = to + scale * (x - from);
}

ThinFile finished(ThinFile file, const ThinFilePlan& plan, const std::string& name) {
    if (plan.repair)
        repair(file);
    else
        refuse_defects(file.body, name);
    if (!plan.repair) note_open_seams(file);
    check_thin_body(file.body, name);
    note_needles(file);
    place(file.body, plan, name);
    return file;
}

std::vector<Vec3d> in_double(const std::vector<Vec3f>& positions) {
    std::vector<Vec3d> out;
    out.reserve(positions.size());
    for (const Vec3f& x : positions) out.push_back(Vec3d(x));
    return out;
}

}  // namespace

ThinFile parse_thin_mesh(std::string_view bytes, const std::string& name,
                         const ThinFilePlan& plan) {
    const Mesh mesh = read_mesh_parts(bytes, name);
    if (mesh.triangles.empty())
        throw InputError({name}, "there are no faces in the file",
                         mesh.lines.empty() ? "export it with its faces"
                                            : "it has lines: give the body curves, not a sheet");
    ThinFile file;
    file.body.vertices = in_double(mesh.positions);
    for (const Vec3i& t : mesh.triangles) file.body.triangles.push_back({t.x, t.y, t.z});
    file.body.uv = mesh.uv;
    return finished(std::move(file), plan, name);
}

ThinFile parse_curves(std::string_view bytes, const std::string& name, const ThinFilePlan& plan) {
    const Mesh mesh = read_mesh_parts(bytes, name);
    if (mesh.lines.empty())
        throw InputError({name}, "there are no lines in the file",
                         "curves are the l elements of an OBJ file: l 1 2 3");
    ThinFile file;
    file.body.vertices = in_double(mesh.positions);
    std::size_t points = 0;
    for (const MeshLine& line : mesh.lines) {
        if (line.points.size() < 2) {
            if (!plan.repair)
                throw InputError(
                    Place{name, line.place, 0},
                    fmt::format("the line has {}", times(line.points.size(), "point", "points")),
                    fmt::format("a curve needs two; remove such lines, {}", set_repair));
            ++points;
            continue;
        }
        file.body.join(line.points);
        file.body.groups["roots"].push_back(line.points.front());
        file.body.groups["tips"].push_back(line.points.back());
    }
    if (points > 0)
        file.notes.push_back("repaired: dropped " +
                             times(points, "curve of one point", "curves of one point"));
    return finished(std::move(file), plan, name);
}

ThinFile read_thin_mesh(const std::string& path, const ThinFilePlan& plan) {
    return parse_thin_mesh(read_input(path, mesh_input), path, plan);
}
ThinFile read_curves(const std::string& path, const ThinFilePlan& plan) {
    return parse_curves(read_input(path, mesh_input), path, plan);
}

std::vector<std::string> edge_warnings(const ThinBody& body, double dx) {
    std::vector<std::string> warnings;
    const EdgeLengths edges = edge_lengths(body);
    if (edges.longest > 1.5 * dx)
        warnings.push_back(fmt::format(
            "edges are up to {:.3g} m long and grid cells {:.3g} m: other matter leaks through "
            "wide meshes; refine it, or raise solver.dx to {:.2g}",
            edges.longest, dx, edges.longest));
    if (edges.mean > 0 && edges.mean < 0.25 * dx)
        warnings.push_back(fmt::format(
            "edges are {:.3g} m long on average and grid cells {:.3g} m: wrinkles smaller than a "
            "cell stay; make edges half a cell to a cell long, or lower solver.dx to {:.2g}",
            edges.mean, dx, 2 * edges.mean));
    return warnings;
}

}  // namespace knead
