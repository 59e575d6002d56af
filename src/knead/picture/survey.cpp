#include "knead/picture/survey.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "knead/base/error.h"
#include "knead/base/input_file.h"
#include "knead/io/atomic_file.h"
#include "knead/io/frame_reader.h"
#include "knead/sim/stats_file.h"

namespace fs = std::filesystem;

namespace knead {

namespace {

// A column of elements, at each row the mean over the elements that use it; 0 elsewhere.
struct RowMeans {
    std::vector<float> sum, count;

    template <std::size_t N>
    void add(const FrameElements<N>& elements, const FrameColumn* column) {
        for (std::size_t e = 0; column && e < elements.size(); ++e)
            for (const std::int32_t v : elements.corners[e]) {
                sum[static_cast<std::size_t>(v)] += static_cast<float>(column->at(e));
                count[static_cast<std::size_t>(v)] += 1;
            }
    }
};

}  // namespace

std::vector<float> values_of(const Frame& frame, const std::string& name) {
    const FrameColumn* of_triangles = frame.triangles.find(name);
    const FrameColumn* of_segments = frame.segments.find(name);
    if (!frame.find(name) && (of_triangles || of_segments)) {
        RowMeans means{std::vector<float>(frame.count), std::vector<float>(frame.count)};
        means.add(frame.triangles, of_triangles);
        means.add(frame.segments, of_segments);
        for (std::size_t i = 0; i < frame.count; ++i)
            if (means.count[i] > 0) means.sum[i] /= means.count[i];
        return means.sum;
    }
    if (name != "speed" || frame.find("speed")) return frame.floats(name);
    std::vector<float> speed;
    for (const Vec3f& v : frame.vectors("vx", "vy", "vz")) speed.push_back(length(v));
    return speed;
}

void ValueRange::add(double value) {
    if (!std::isfinite(value)) return;
    lo = std::min(lo, value), hi = std::max(hi, value);
}

void ValueRange::add(const ValueRange& other) {
    if (!other.empty()) add(other.lo), add(other.hi);
}

namespace {

// The boxes of all frames by their numbers; nothing where the file does not have them all.
std::optional<std::vector<Box3>> boxes_of_statistics(const std::string& file,
                                                     const std::vector<std::string>& frames) {
    std::error_code missing;
    if (!fs::is_regular_file(file, missing)) return {};
    StatsTable table;
    try {
        table = read_stats(file);
    } catch (const InputError&) {
        return {};
    }
    std::map<std::string, std::size_t> at;
    for (std::size_t k = 0; k < table.columns.size(); ++k) at[table.columns[k]] = k;
    for (const char* name : {"frame", "particles", "bbox_min_x", "bbox_min_y", "bbox_min_z",
                             "bbox_max_x", "bbox_max_y", "bbox_max_z"})
        if (!at.contains(name)) return {};
    std::map<int, const std::vector<double>*> rows;
    for (const auto& row : table.rows) rows[static_cast<int>(row[at["frame"]])] = &row;
    std::vector<Box3> boxes;
    for (const std::string& frame : frames) {
        const auto found = rows.find(frame_number(frame));
        if (found == rows.end()) return {};
        const std::vector<double>& row = *found->second;
        if (!(row[at["particles"]] > 0)) continue;
        Box3& box = boxes.emplace_back();
        box.add(Vec3d{row[at["bbox_min_x"]], row[at["bbox_min_y"]], row[at["bbox_min_z"]]});
        box.add(Vec3d{row[at["bbox_max_x"]], row[at["bbox_max_y"]], row[at["bbox_max_z"]]});
    }
    return boxes;
}

// Tells a frame from another that took its place.
std::string stamp_of(const std::string& file) {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) return {};
    return std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
           std::to_string(status.st_mtim.tv_nsec);
}

nlohmann::json kept_in(const std::string& file) {
    std::error_code missing;
    if (!fs::is_regular_file(file, missing)) return nlohmann::json::object();
    nlohmann::json kept = nlohmann::json::parse(read_input(file, report_input), nullptr, false);
    return kept.is_object() ? kept : nlohmann::json::object();
}

// [stamp, least, greatest]; [stamp] where a frame has no values.
std::optional<ValueRange> kept_range(const nlohmann::json& entry, const std::string& stamp) {
    if (!entry.is_array() || entry.empty() || entry[0] != stamp) return {};
    if (entry.size() == 1) return ValueRange{};
    if (entry.size() != 3 || !entry[1].is_number() || !entry[2].is_number()) return {};
    return ValueRange{entry[1], entry[2]};
}

}  // namespace

std::vector<Box3> survey_boxes(const std::string& stats_file,
                               const std::vector<std::string>& frames) {
    if (auto boxes = boxes_of_statistics(stats_file, frames)) return *boxes;
    std::vector<Box3> boxes;
    for (const std::string& file : frames) {
        Box3 box;
        for (const Vec3f& x : read_frame(file).positions()) box.add(Vec3d(x));
        if (!box.empty()) boxes.push_back(box);
    }
    return boxes;
}

ValueRange survey_range(const std::string& file, const std::vector<std::string>& frames,
                        const std::string& column) {
    nlohmann::json kept = kept_in(file);
    nlohmann::json& ranges = kept[column];
    if (!ranges.is_object()) ranges = nlohmann::json::object();
    ValueRange all;
    bool news = false;
    for (const std::string& frame : frames) {
        const std::string name = fs::path(frame).filename().string(), stamp = stamp_of(frame);
        std::optional<ValueRange> range =
            ranges.contains(name) ? kept_range(ranges[name], stamp) : std::nullopt;
        if (!range) {
            range.emplace();
            for (const float value : values_of(read_frame(frame), column))
                range->add(static_cast<double>(value));
            ranges[name] = range->empty() ? nlohmann::json::array({stamp})
                                          : nlohmann::json::array({stamp, range->lo, range->hi});
            news = true;
        }
        all.add(*range);
    }
    const auto invalid = nlohmann::json::error_handler_t::replace;
    if (news) write_whole(file, kept.dump(1, ' ', false, invalid) + "\n");
    return all;
}

}  // namespace knead
