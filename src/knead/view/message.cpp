#include "knead/view/message.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>

#include "knead/base/error.h"
#include "knead/io/color.h"
#include "knead/io/frame_columns.h"
#include "knead/io/frame_reader.h"
#include "knead/io/ply.h"
#include "knead/parallel/exec.h"
#include "knead/view/packed.h"

namespace knead::view {

namespace {

using Json = nlohmann::ordered_json;

// What a message needs of a frame. Rows of sheets and curves are joined.
struct Rows {
    int frame = 0;
    double time = 0;
    Points points;
    std::vector<float> body, pscale, id;
    std::vector<ColliderPose> poses;
    std::vector<char> joined;  // empty: none
    std::vector<std::array<std::int32_t, 3>> triangles;
    std::vector<std::array<std::int32_t, 2>> segments;
};

// Moves a column out of those that were read, where it is one of them.
std::vector<float> take(const std::vector<std::string>& names,
                        std::vector<std::vector<float>>& columns, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return {};
    return std::move(columns[static_cast<std::size_t>(found - names.begin())]);
}

std::vector<float> speeds(const std::vector<float>& x, const std::vector<float>& y,
                          const std::vector<float>& z) {
    std::vector<float> speed(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        speed[i] = std::sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
    return speed;
}

// Only the columns that are needed.
Rows rows_of_volumes(const FrameColumns& file, const std::string& column, bool with_ids) {
    std::vector<std::string> names{"x", "y", "z"};
    for (const char* name : {"body", "pscale"})
        if (file.has(name)) names.push_back(name);
    if (with_ids && file.has("id")) names.push_back("id");
    const bool speed = column == "speed" && !file.has("speed");
    if (speed)
        names.insert(names.end(), {"vx", "vy", "vz"});
    else if (!column.empty())
        names.push_back(column);
    std::vector<std::vector<float>> columns = file.read(names);
    Rows rows{file.frame(), file.time(), {}, {}, {}, {}, file.colliders(), {}, {}, {}};
    if (!column.empty())
        rows.points.value = speed ? speeds(columns[columns.size() - 3], columns[columns.size() - 2],
                                           columns[columns.size() - 1])
                                  : columns.back();
    rows.body = take(names, columns, "body");
    rows.pscale = take(names, columns, "pscale");
    rows.id = take(names, columns, "id");
    rows.points.x = std::move(columns[0]);
    rows.points.y = std::move(columns[1]);
    rows.points.z = std::move(columns[2]);
    return rows;
}

// The whole frame, with what joins its rows.
Rows rows_of_frame(const Frame& frame, const std::string& column) {
    Rows rows{frame.frame,
              frame.time,
              {},
              {},
              {},
              {},
              frame.colliders,
              joined_rows(frame),
              frame.triangles.corners,
              frame.segments.corners};
    rows.points = {frame.floats("x"), frame.floats("y"), frame.floats("z"), {}};
    if (!column.empty()) rows.points.value = values_of(frame, column);
    for (const auto& [name, to] : {std::pair{"body", &rows.body}, std::pair{"pscale", &rows.pscale},
                                   std::pair{"id", &rows.id}})
        if (frame.find(name)) *to = frame.floats(name);
    return rows;
}

Rows read_rows(const std::string& path, const std::string& column, bool with_ids) {
    const FrameColumns file(path);
    return file.has_elements() ? rows_of_frame(read_frame(path), column)
                               : rows_of_volumes(file, column, with_ids);
}

std::size_t body_of(const Rows& rows, std::size_t i) {
    return rows.body.empty() ? 0 : static_cast<std::size_t>(std::max(0.0f, rows.body[i]));
}

// Which particles a thinned message keeps: the same in every frame.
bool is_kept(const Rows& rows, std::size_t i, int nth) {
    if (nth <= 1 || rows.id.empty()) return true;
    const auto id = static_cast<std::uint32_t>(rows.id[i]);
    return (id * 2654435761u >> 8) % static_cast<std::uint32_t>(nth) == 0;
}

std::vector<std::uint32_t> all_of(std::size_t count) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    return order;
}

// Rows of volumes by body, in the order of the file within each; `firsts` says where each begins.
std::vector<std::uint32_t> by_body(const Rows& rows, int nth, std::vector<std::size_t>& firsts) {
    const ValueRange bodies = range_of(rows.body);
    if (nth <= 1 && rows.joined.empty() && !bodies.empty() && bodies.lo == bodies.hi) {
        firsts.assign(body_of(rows, 0) + 2, 0);
        firsts.back() = rows.points.size();
        return all_of(rows.points.size());
    }
    std::vector<std::size_t> counts;
    const auto wanted = [&](std::size_t i) {
        return (rows.joined.empty() || !rows.joined[i]) && is_kept(rows, i, nth);
    };
    for (std::size_t i = 0; i < rows.points.size(); ++i) {
        if (!wanted(i)) continue;
        const std::size_t b = body_of(rows, i);
        if (b >= counts.size()) counts.resize(b + 1);
        ++counts[b];
    }
    firsts.assign(counts.size() + 1, 0);
    for (std::size_t b = 0; b < counts.size(); ++b) firsts[b + 1] = firsts[b] + counts[b];
    std::vector<std::size_t> next = firsts;
    std::vector<std::uint32_t> order(firsts.back());
    for (std::size_t i = 0; i < rows.points.size(); ++i)
        if (wanted(i)) order[next[body_of(rows, i)]++] = static_cast<std::uint32_t>(i);
    return order;
}

std::vector<std::uint32_t> joined_order(const Rows& rows) {
    std::vector<std::uint32_t> order;
    for (std::size_t i = 0; i < rows.joined.size(); ++i)
        if (rows.joined[i]) order.push_back(static_cast<std::uint32_t>(i));
    return order;
}

Json json_of(const Vec3d& a) { return Json::array({a.x, a.y, a.z}); }

Json json_of(const Box3& box) {
    return box.empty() ? Json(nullptr) : Json::array({json_of(box.lo), json_of(box.hi)});
}

// Rows of the matrix that takes a rest point to where it is.
Json placement(const ColliderMesh& mesh, const Rows& rows) {
    const Motion& motion = mesh.collider.motion;
    Pose pose = motion.pose(rows.time);
    for (const ColliderPose& known : rows.poses)
        if (known.name == mesh.collider.name) pose = known.pose;
    const Vec3d shift = from_rest(pose, motion.pivot, {0, 0, 0});
    Json numbers = Json::array();
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) numbers.push_back(pose.rotation[3 * r + c]);
        numbers.push_back(shift[r]);
    }
    return numbers;
}

double most_radius(const Rows& rows) {
    return rows.pscale.empty() ? 0 : std::max(0.0, range_of(rows.pscale).hi);
}

ValueRange radius_of(const Rows& rows, const std::vector<std::uint32_t>& order, std::size_t begin,
                     std::size_t end) {
    if (rows.pscale.empty()) return {};
    const auto one = [&](std::size_t k) {
        ValueRange range;
        range.add(static_cast<double>(rows.pscale[order[begin + k]]));
        return range;
    };
    const auto joined = [](ValueRange a, const ValueRange& b) {
        a.add(b);
        return a;
    };
    return reduce(end - begin, ValueRange{}, one, joined);
}

// Where each body begins, and its radius; `radii` is filled where those of a body differ.
Json bodies_of(const Rows& rows, const std::vector<std::uint32_t>& order,
               const std::vector<std::size_t>& firsts, std::vector<std::uint16_t>& radii) {
    Json bodies = Json::array();
    for (std::size_t b = 0; b + 1 < firsts.size(); ++b) {
        if (firsts[b] == firsts[b + 1]) continue;
        const ValueRange radius = radius_of(rows, order, firsts[b], firsts[b + 1]);
        const bool varies = !radius.empty() && radius.hi > 1.001 * radius.lo;
        if (varies && radii.empty()) radii.resize(order.size());
        bodies.push_back({{"body", b},
                          {"first", firsts[b]},
                          {"count", firsts[b + 1] - firsts[b]},
                          {"radius", radius.empty() ? 0 : radius.hi}});
    }
    const double most = most_radius(rows);
    for (std::size_t k = 0; k < radii.size(); ++k)
        radii[k] = packed(static_cast<double>(rows.pscale[order[k]]), 0, most, 65535);
    return bodies;
}

template <std::size_t N>
void renumber(std::vector<std::array<std::int32_t, N>>& corners,
              const std::vector<std::uint32_t>& order, std::size_t count) {
    std::vector<std::int32_t> to(count);
    for (std::size_t k = 0; k < order.size(); ++k) to[order[k]] = static_cast<std::int32_t>(k);
    for (auto& c : corners)
        for (std::int32_t& v : c) v = to[static_cast<std::size_t>(v)];
}

Points points_of(const std::vector<Vec3f>& positions) {
    Points p;
    for (const Vec3f& x : positions) p.x.push_back(x.x), p.y.push_back(x.y), p.z.push_back(x.z);
    return p;
}

void add_range(Json& json, const ValueRange& range) {
    json["lo"] = range.empty() ? 0 : range.lo;
    json["hi"] = range.empty() ? 0 : range.hi;
}

std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string frame_message(const std::string& file, const std::string& column,
                          const std::vector<ColliderMesh>& colliders, int nth) {
    Rows rows = read_rows(file, column, nth > 1);
    if (nth > 1)
        for (float& radius : rows.pscale) radius *= std::cbrt(static_cast<float>(nth));
    const Box3 box = box_of(rows.points);
    const ValueRange range = range_of(rows.points.value);
    std::vector<std::size_t> firsts;
    const std::vector<std::uint32_t> order = by_body(rows, nth, firsts), thin = joined_order(rows);
    std::vector<std::uint16_t> radii, vertex_body;

    Json json;
    json["frame"] = frame_number(file);
    json["time"] = rows.time;
    json["particles"] = rows.points.size();
    json["column"] = column;
    add_range(json, range);
    json["box"] = json_of(box);
    json["most_radius"] = most_radius(rows);
    json["bodies"] = bodies_of(rows, order, firsts, radii);
    json["colliders"] = Json::array();
    for (const ColliderMesh& mesh : colliders) json["colliders"].push_back(placement(mesh, rows));

    Tables tables;
    const auto points = pack(rows.points, order, box, range);
    const auto vertices = pack(rows.points, thin, box, range);
    tables.add("points", points);
    if (!radii.empty()) tables.add("radii", radii);
    for (const std::uint32_t i : thin)
        vertex_body.push_back(static_cast<std::uint16_t>(body_of(rows, i)));
    renumber(rows.triangles, thin, rows.points.size());
    renumber(rows.segments, thin, rows.points.size());
    if (!thin.empty()) {
        tables.add("vertices", vertices);
        tables.add("vertex_body", vertex_body);
        tables.add("triangles", rows.triangles);
        tables.add("segments", rows.segments);
    }
    return tables.message(text_of(json));
}

std::string surface_message(const std::string& file, const std::string& column) {
    const SurfaceMesh mesh = read_surface(file);
    Points points = points_of(mesh.positions);
    for (const FrameColumn& c : mesh.columns)
        for (std::size_t i = 0; c.name == column && i < c.size(); ++i)
            points.value.push_back(static_cast<float>(c.at(i)));
    const Box3 box = box_of(points);
    const ValueRange range = range_of(points.value);
    std::vector<std::uint16_t> body;
    for (const std::int32_t b : mesh.body) body.push_back(static_cast<std::uint16_t>(b));

    Json json;
    json["frame"] = frame_number(file);
    json["column"] = points.value.empty() ? "" : column;
    add_range(json, range);
    json["box"] = json_of(box);
    const auto vertices = pack(points, all_of(points.size()), box, range);
    Tables tables;
    tables.add("vertices", vertices);
    tables.add("vertex_body", body);
    tables.add("triangles", mesh.faces);
    return tables.message(text_of(json));
}

std::string collider_message(const std::vector<ColliderMesh>& colliders) {
    Json json;
    json["colliders"] = Json::array();
    std::vector<std::vector<PackedPoint>> vertices;
    for (const ColliderMesh& mesh : colliders) {
        const Points points = points_of(mesh.rest.positions);
        const Box3 box = box_of(points);
        vertices.push_back(pack(points, all_of(points.size()), box, {}));
        Json color = Json::array();
        for (int k = 0; k < 3; ++k) color.push_back(mesh.color[k]);
        json["colliders"].push_back(
            {{"name", mesh.collider.name}, {"color", color}, {"box", json_of(box)}});
    }
    Tables tables;
    for (std::size_t i = 0; i < colliders.size(); ++i) {
        tables.add("vertices" + std::to_string(i), vertices[i]);
        tables.add("triangles" + std::to_string(i), colliders[i].rest.faces);
    }
    return tables.message(text_of(json));
}

ValueRange value_range(const std::string& file, const std::string& column) {
    return range_of(read_rows(file, column, false).points.value);
}

std::int64_t row_of_point(const std::string& file, std::int64_t point) {
    std::vector<std::size_t> firsts;
    const auto order = by_body(read_rows(file, "", false), 1, firsts);
    const bool good = point >= 0 && point < static_cast<std::int64_t>(order.size());
    return good ? order[static_cast<std::size_t>(point)] : -1;
}

std::int64_t row_of_vertex(const std::string& file, std::int64_t vertex) {
    const auto order = joined_order(read_rows(file, "", false));
    const bool good = vertex >= 0 && vertex < static_cast<std::int64_t>(order.size());
    return good ? order[static_cast<std::size_t>(vertex)] : -1;
}

std::string_view message_json(std::string_view message) {
    std::uint32_t length = 0;
    if (message.size() < 8) return {};
    std::memcpy(&length, message.data() + 4, 4);
    return message.substr(8, length);
}

}  // namespace knead::view
