#include "knead/sim/run_report.h"

#include <nlohmann/json.hpp>

#include "knead/base/input_file.h"
#include "knead/base/version.h"
#include "knead/io/atomic_file.h"
#include "knead/parallel/exec.h"

namespace knead {

template <class Real>
RunReport report_of(const Model& model, const State<Real>& state) {
    RunReport r;
    r.title = model.title;
    r.precision = sizeof(Real) == 4 ? "single" : "double";
    r.seed = model.seed;
    r.threads = thread_count();
    r.frame = state.frame;
    r.particles = state.particle_count();
    r.substeps = state.step;
    return r;
}

template RunReport report_of(const Model&, const State<float>&);
template RunReport report_of(const Model&, const State<double>&);

void write_report(const std::string& path, const RunReport& r) {
    nlohmann::ordered_json json;
    json["knead"] = version();
    json["built_for"] = built_for();
    json["title"] = r.title;
    json["status"] = r.status;
    if (!r.error.empty()) json["error"] = r.error;
    json["backend"] = r.backend;
    json["precision"] = r.precision;
    json["seed"] = r.seed;
    json["threads"] = r.threads;
    json["frame"] = r.frame;
    json["frames"] = r.frames;
    json["particles"] = r.particles;
    json["substeps"] = r.substeps;
    if (r.resumed_from >= 0) json["resumed_from_frame"] = r.resumed_from;
    if (r.limit > 0) json["step_limit"] = {{"seconds", r.limit}, {"because_of", r.limited_by}};
    for (const RunChange& c : r.changes)
        json["changes"].push_back({{"frame", c.frame}, {"set", c.settings}});
    if (r.scripted) json["scripted"] = true;
    json["wall_seconds"] = r.wall_seconds;
    auto& stages = json["stage_seconds"] = nlohmann::ordered_json::object();
    for (const auto& [name, seconds] : r.stages) stages[name] = seconds;
    const auto invalid = nlohmann::ordered_json::error_handler_t::replace;
    write_whole(path, json.dump(2, ' ', false, invalid) + "\n");
}

namespace {

// Nothing where there is no report, or none that can be read.
nlohmann::json report_in(const std::string& path) {
    if (!is_there(path)) return {};
    return nlohmann::json::parse(read_input(path, report_input), nullptr, false);
}

}  // namespace

std::vector<RunChange> read_changes(const std::string& path) {
    std::vector<RunChange> changes;
    const auto report = report_in(path);
    if (!report.is_object() || !report.contains("changes")) return changes;
    for (const auto& change : report["changes"]) {
        if (!change.is_object() || !change.contains("frame") ||
            !change["frame"].is_number_integer())
            continue;
        RunChange c{change["frame"], {}};
        for (const auto& setting : change.value("set", nlohmann::json::array()))
            if (setting.is_string()) c.settings.push_back(setting.get<std::string>());
        changes.push_back(std::move(c));
    }
    return changes;
}

bool was_scripted(const std::string& path) {
    const auto report = report_in(path);
    return report.is_object() && report.contains("scripted") && report["scripted"] == true;
}

std::string report_status(const std::string& path) {
    const auto report = report_in(path);
    if (!report.is_object() || !report.contains("status")) return {};
    return report["status"].is_string() ? report["status"].get<std::string>() : std::string();
}

}  // namespace knead
