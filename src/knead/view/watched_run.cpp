#include "knead/view/watched_run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "knead/base/error.h"
#include "knead/base/input_file.h"
#include "knead/io/frame_columns.h"
#include "knead/io/frame_reader.h"
#include "knead/particles/particles.h"
#include "knead/picture/colors.h"
#include "knead/render/color_map.h"
#include "knead/scene/methods.h"
#include "knead/scene/read_scene.h"
#include "knead/sim/stats_file.h"
#include "knead/view/message.h"
#include "knead/view/packed.h"

namespace knead::view {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t most_frames_for_a_range = 32;

// Changes when the file does.
std::string stamp_of(const std::string& file) {
    struct stat s {};
    if (stat(file.c_str(), &s) != 0) return "-";
    return fmt::format("{}:{}:{}.{}", s.st_ino, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of(const Vec3d& a) { return Json::array({a.x, a.y, a.z}); }
Json json_of(const Vec3f& a) { return json_of(Vec3d(a)); }

const Json& color_map() {
    static const Json colors = [] {
        Json all = Json::array();
        for (int i = 0; i < 64; ++i) all.push_back(json_of(render::map_color(i / 63.0)));
        return all;
    }();
    return colors;
}

// Of the column that a frame's column is a part of: "vx" of v, "F_xy" of F.
std::string unit_of(const std::string& name) {
    if (name == "speed") return "m/s";
    if (name == "pscale") return "m";
    std::string unit;
    Particles<float>().for_each_column([&](const ColumnInfo& info, const auto&) {
        const std::string own = info.name;
        const bool part =
            name.rfind(own + "_", 0) == 0 || (own == "v" && name.size() == 2 && name[0] == 'v');
        if (name == own || part) unit = info.unit;
    });
    return unit == "1" ? "" : unit;
}

// What points can be coloured by.
Json columns_of(const std::string& frame_file) {
    const FrameColumns file(frame_file);
    std::vector<std::string> names = file.names();
    if (file.has("vx") && !file.has("speed")) names.insert(names.begin(), "speed");
    if (file.has_elements()) {
        const Frame frame = read_frame(frame_file);
        for (const auto* columns : {&frame.triangles.columns, &frame.segments.columns})
            for (const FrameColumn& c : *columns)
                if (std::find(names.begin(), names.end(), c.name) == names.end())
                    names.push_back(c.name);
    }
    Json list = Json::array();
    const std::set<std::string> no_use{"id", "body"};
    for (const std::string& name : names)
        if (!no_use.contains(name)) list.push_back({{"name", name}, {"unit", unit_of(name)}});
    return list;
}

Json report_of(const std::string& file) {
    if (!is_there(file)) return Json::object();
    Json report = Json::parse(read_input(file, report_input), nullptr, false);
    return report.is_object() ? report : Json::object();
}

Json bodies_of(const Scene& scene, const std::vector<Vec3f>& colors) {
    Json bodies = Json::array();
    for (std::size_t b = 0; b < scene.bodies.size(); ++b)
        bodies.push_back({{"name", scene.bodies[b].name},
                          {"material", scene.bodies[b].material},
                          {"color", json_of(colors[b])}});
    return bodies;
}

[[noreturn]] void gone(const RunFolder& folder) {
    throw InputError({folder.path()}, "the run's folder is gone",
                     "the page goes on when it is back; Ctrl-C ends the server");
}

}  // namespace

std::int64_t WatchedRun::look() {
    const std::vector<std::string> files = folder_.frame_files();
    const std::string first = files.empty() ? "" : stamp_of(files.front());
    const std::string scene = stamp_of(folder_.scene()) + first;
    const std::string now = fmt::format("{} {} {} {} {}", scene, files.size(),
                                        files.empty() ? -1 : frame_number(files.back()),
                                        stamp_of(folder_.report()), stamp_of(folder_.stats()));
    const std::scoped_lock lock(mutex_);
    if (now == seen_) return version_;
    if (scene != scene_seen_) {  // another run in the same folder
        scenery_.reset();
        ++epoch_;
    }
    seen_ = now;
    scene_seen_ = scene;
    return ++version_;
}

std::shared_ptr<const WatchedRun::Scenery> WatchedRun::scenery() {
    {
        const std::scoped_lock lock(mutex_);
        if (scenery_) return scenery_;
    }
    auto made = std::make_shared<Scenery>();
    const std::vector<std::string> files = folder_.frame_files();
    try {
        if (is_there(folder_.scene())) made->scene = read_scene(folder_.scene());
        made->colors = body_colors(made->scene);
        if (made->scene && !files.empty()) {
            const RunView view(folder_.path());
            made->colliders = view.colliders();
            made->ground = ground_of(*made->scene, view.box().center());
            for (const Mistake& m : made->scene->warnings) made->warnings.push_back(to_string(m));
        }
    } catch (const InputError& error) {
        made->warnings.push_back(error.what());
    }
    const std::scoped_lock lock(mutex_);
    if (!files.empty()) scenery_ = made;
    return made;
}

std::string WatchedRun::frame_file(int number) const {
    const std::string file = folder_.frame(number);
    if (is_there(file)) return file;
    if (!is_folder(folder_.path())) gone(folder_);
    throw InputError({folder_.path()}, fmt::format("there is no frame {}", number));
}

std::string WatchedRun::description() {
    if (!is_folder(folder_.path())) gone(folder_);
    const auto scenery = this->scenery();
    const std::vector<std::string> files = folder_.frame_files();
    Json json;
    json["folder"] = folder_.path();
    {
        const std::scoped_lock lock(mutex_);
        json["version"] = version_;
        json["epoch"] = epoch_;
    }
    const Json report = report_of(folder_.report());
    json["title"] = scenery->scene ? scenery->scene->title : "";
    json["report"] = report;
    json["frames"] = Json::array();
    for (const std::string& file : files) json["frames"].push_back(frame_number(file));
    json["surfaces"] = Json::array();
    for (const std::string& file :
         knead::frame_files(folder_.path() + "/surface", "surface", "ply"))
        json["surfaces"].push_back(frame_number(file));
    json["columns"] = files.empty() ? Json::array() : columns_of(files.front());
    json["color_map"] = color_map();
    json["frame_rate"] = 30.0;
    json["bodies"] = Json::array();
    if (scenery->scene) {
        json["frame_rate"] = scenery->scene->time.frame_rate;
        json["wanted"] = scenery->scene->time.frames;
        json["method"] = name_of(scenery->scene->solver.method);
        json["bodies"] = bodies_of(*scenery->scene, scenery->colors);
    }
    Box3 box;
    if (!files.empty())
        for (const Box3& b : survey_boxes(folder_.stats(), files)) box.add(b.lo), box.add(b.hi);
    json["box"] = box.empty() ? Json(nullptr) : Json::array({json_of(box.lo), json_of(box.hi)});
    json["ground"] = nullptr;
    if (scenery->ground)
        json["ground"] = {
            {"height", scenery->ground->height},
            {"color", scenery->ground->color ? json_of(*scenery->ground->color) : Json(nullptr)}};
    json["warnings"] = scenery->warnings;
    return text_of(json);
}

std::string WatchedRun::statistics() const {
    Json json{{"columns", Json::array()}, {"rows", Json::array()}};
    if (is_there(folder_.stats())) {
        const StatsTable table = read_stats(folder_.stats());
        json["columns"] = table.columns;
        json["rows"] = table.rows;
    }
    return text_of(json);
}

std::string WatchedRun::frame(int number, const std::string& column, int nth) {
    const std::string file = frame_file(number);
    return frame_message(file, column, scenery()->colliders, nth);
}

std::string WatchedRun::surface(int number, const std::string& column) {
    frame_file(number);
    return surface_message(frame_path(folder_.path() + "/surface", "surface", number, "ply"),
                           column);
}

std::string WatchedRun::colliders() { return collider_message(scenery()->colliders); }

std::string WatchedRun::range(const std::string& column) {
    const std::vector<std::string> files = folder_.frame_files();
    const std::size_t count = std::min(files.size(), most_frames_for_a_range);
    ValueRange all;
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t at = count == 1 ? 0 : k * (files.size() - 1) / (count - 1);
        all.add(value_range(files[at], column));
    }
    return text_of({{"column", column},
                    {"lo", all.empty() ? 0 : all.lo},
                    {"hi", all.empty() ? 0 : all.hi},
                    {"frames", count},
                    {"of", files.size()}});
}

std::string WatchedRun::pick(int number, std::int64_t point, bool is_vertex) {
    const std::string file = frame_file(number);
    const std::int64_t row = is_vertex ? row_of_vertex(file, point) : row_of_point(file, point);
    if (row < 0) throw InputError({file}, fmt::format("there is no point {}", point));
    const FrameColumns columns(file);
    const std::vector<double> values = columns.row(static_cast<std::size_t>(row));
    Json list = Json::array();
    for (std::size_t k = 0; k < values.size(); ++k)
        list.push_back({{"name", columns.names()[k]},
                        {"unit", unit_of(columns.names()[k])},
                        {"value", values[k]}});
    return text_of({{"frame", number}, {"row", row}, {"columns", list}});
}

}  // namespace knead::view
