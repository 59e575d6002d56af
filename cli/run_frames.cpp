#include "run_frames.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "knead/base/error.h"
#include "knead/io/atomic_file.h"
#include "knead/io/color.h"
#include "knead/io/frame.h"
#include "knead/scene/read_scene.h"
#include "knead/sim/run_folder.h"

namespace fs = std::filesystem;

namespace knead::cli {

namespace {

// The parts of `text` between separators.
std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts(1);
    for (char c : text)
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

template <class T>
bool to_number(const std::string& text, T& value) {
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    return end.ec == std::errc{} && end.ptr == text.data() + text.size();
}

}  // namespace

FrameRange parse_range(const std::string& text) {
    FrameRange range;
    if (text.empty() || text == "all") return range;
    const std::vector<std::string> parts = split(text, ':');
    bool good = parts.size() <= 3;
    if (good && !parts[0].empty()) good = to_number(parts[0], range.first) && range.first >= 0;
    if (good && parts.size() == 1) range.last = range.first;
    if (good && parts.size() > 1 && !parts[1].empty())
        good = to_number(parts[1], range.last) && range.last >= range.first;
    if (good && parts.size() > 2) good = to_number(parts[2], range.step) && range.step > 0;
    if (!good || (parts.size() == 1 && parts[0].empty()))
        throw InputError({"--frames"}, "'" + text + "' is no range of frames",
                         "write first:last or first:last:step, as in 0:100:5");
    return range;
}

std::vector<std::string> select_files(const std::string& folder, const std::string& stem,
                                      const FrameRange& range) {
    std::vector<std::string> chosen;
    const std::vector<std::string> all = frame_files(folder, stem, "ply");
    if (all.empty())
        throw InputError({folder}, fmt::format("there are no files {}_NNNNN.ply here", stem),
                         stem == "frame" ? "give the folder of a run; knead run makes one"
                                         : "knead surface makes them");
    for (const std::string& file : all) {
        const int n = frame_number(file);
        if (n >= range.first && (range.last < 0 || n <= range.last) &&
            (n - range.first) % range.step == 0)
            chosen.push_back(file);
    }
    if (chosen.empty())
        throw InputError({"--frames"}, "no frame lies in that range",
                         fmt::format("there are frames {} to {}", frame_number(all.front()),
                                     frame_number(all.back())));
    return chosen;
}

std::optional<Scene> scene_of_run(const std::string& folder) {
    const std::string file = RunFolder(folder).scene();
    if (!fs::exists(file)) return std::nullopt;
    return read_scene(file);
}

Vec3f linear_color(const Vec3f& as_shown) {
    return {linear_of_srgb(as_shown.x), linear_of_srgb(as_shown.y), linear_of_srgb(as_shown.z)};
}

std::vector<Vec3f> body_colors(const std::optional<Scene>& scene) {
    std::vector<Vec3f> colors;
    if (scene)
        for (const BodySpec& body : scene->bodies)
            colors.push_back(linear_color(body.color.value_or(BodyInfo{}.color)));
    return colors;
}

Vec3f color_of(const std::vector<Vec3f>& colors, std::int32_t body) {
    const auto b = static_cast<std::size_t>(body);
    return b < colors.size() ? colors[b] : linear_color(BodyInfo{}.color);
}

void color_by_body(SurfaceMesh& mesh, const std::vector<Vec3f>& colors) {
    if (!mesh.colors.empty()) return;
    for (const std::int32_t body : mesh.body) mesh.colors.push_back(color_of(colors, body));
}

void require(bool good, const char* option, const char* what, std::vector<Mistake>& mistakes) {
    if (good) return;
    Mistake mistake;
    mistake.place.file = option;
    mistake.what = what;
    mistakes.push_back(std::move(mistake));
}

std::pair<double, double> parse_pair(const std::string& option, const std::string& text) {
    const std::vector<std::string> parts = split(text, ',');
    double lo = 0, hi = 0;
    if (parts.size() != 2 || !to_number(parts[0], lo) || !to_number(parts[1], hi) || !(lo < hi))
        throw InputError({option}, "'" + text + "' is no range", "write low,high: 0,1.5");
    return {lo, hi};
}

Vec3d parse_vector(const std::string& option, const std::string& text) {
    const std::vector<std::string> parts = split(text, ',');
    Vec3d v{0, 0, 0};
    bool good = parts.size() == 3;
    for (int k = 0; good && k < 3; ++k) good = to_number(parts[static_cast<std::size_t>(k)], v[k]);
    if (!good)
        throw InputError({option}, "'" + text + "' is no point", "write three numbers: 1,0.5,2");
    return v;
}

void make_folder(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) throw RunError(path + ": cannot be created: " + error.message());
    sweep_unfinished(path);
}

}  // namespace knead::cli
