// knead info: what is in a run's folder, a scene or a file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "info_vdb.h"
#include "knead/base/error.h"
#include "knead/base/input_file.h"
#include "knead/base/machine.h"
#include "knead/base/safe_text.h"
#include "knead/geometry/ply_header.h"
#include "knead/io/frame_reader.h"
#include "knead/io/ply.h"
#include "knead/scene/methods.h"
#include "knead/scene/read_scene.h"
#include "knead/sim/run_folder.h"
#include "knead/sim/stats_file.h"
#include "progress.h"

namespace fs = std::filesystem;

namespace knead::cli {

namespace {

void line(const std::string& what, const std::string& answer) {
    fmt::print("{:<14}{}\n", safe_text(what), safe_text(answer));
}

double size_of(const std::string& path) {
    std::error_code failed;
    if (!is_folder(path)) return static_cast<double>(fs::file_size(path, failed));
    double bytes = 0;
    auto entry = fs::recursive_directory_iterator(
        path, fs::directory_options::skip_permission_denied, failed);
    for (; !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
        std::error_code gone;
        const bool file = entry->is_regular_file(gone) && !entry->is_symlink(gone);
        const auto size = file ? entry->file_size(gone) : 0;
        if (!gone) bytes += static_cast<double>(size);
    }
    return bytes;
}

void show_checkpoint(const std::string& path) {
    const CheckpointHeader h = verify_checkpoint(path);
    line("checkpoint", path);
    line("frame", fmt::format("{} ({:.6g} s, {} substeps)", h.frame, h.time, h.step));
    line("particles", count_text(h.particles));
    line("precision", h.precision);
    line("written by", "knead " + h.version);
    line("size", bytes_in_words(size_of(path)) + ", every byte as it was written");
}

// One line a column: name, kind and range.
void show_columns(const std::vector<FrameColumn>& columns) {
    fmt::print("  {:<20}{:<7}{:>14}{:>14}\n", "column", "type", "least", "greatest");
    for (const FrameColumn& column : columns) {
        double lo = std::numeric_limits<double>::infinity(), hi = -lo;
        std::size_t broken = 0;
        for (std::size_t i = 0; i < column.size(); ++i) {
            const double value = column.at(i);
            if (!is_finite(value)) ++broken;
            lo = std::min(lo, value), hi = std::max(hi, value);
        }
        const std::string note = broken > 0 ? fmt::format("  {} not finite", broken) : "";
        if (column.size() == 0) lo = hi = 0;
        fmt::print("  {:<20}{:<7}{:>14.6g}{:>14.6g}{}\n", safe_text(column.name),
                   column.is_integer() ? "int" : "float", lo, hi, note);
    }
}

void show_ply(const std::string& path) {
    const PlyFile file = parse_ply(read_bytes(path), path);
    line("PLY", path);
    line("size", bytes_in_words(size_of(path)));
    for (const PlyElement& element : file.elements) {
        if (element.name == "face") line("triangles", count_text(element.count));
        if (element.name == "edge") line("segments", count_text(element.count));
    }
    for (const std::string& comment : file.comments) line("comment", comment);
    for (const PlyElement& element : file.elements) {
        line(element.name, count_text(element.count));
        if (!element.columns.empty()) show_columns(element.columns);
        for (const PlyList& list : element.lists)
            fmt::print("  {:<20}list, {} entries\n", safe_text(list.name),
                       count_text(list.values.size()));
    }
}

// A member of the report; what is missing or of another kind is told as `otherwise`.
template <class T>
T member(const nlohmann::json& report, const char* name, const T& otherwise) {
    const auto found = report.find(name);
    if (found == report.end()) return otherwise;
    if constexpr (std::is_same_v<T, std::string>)
        return found->is_string() ? found->get<std::string>() : otherwise;
    else
        return found->is_number() ? found->get<T>() : otherwise;
}

void show_report(const RunFolder& folder) {
    if (!is_there(folder.report())) return;
    const auto report =
        nlohmann::json::parse(read_input(folder.report(), report_input), nullptr, false);
    if (!report.is_object())
        throw InputError({folder.report()}, "damaged: this is no JSON object",
                         "delete it; `knead run` with --resume writes it anew");
    const std::string unknown = "?";
    const std::string status = folder.status(), writer = folder.writer();
    line("status", status.empty()       ? "unknown"
                   : status == "killed" ? "killed: it ended without a word; `knead run " +
                                              folder.path() + " --resume` goes on with it"
                   : writer.empty() ? status
                                    : status + ", " + writer);
    if (report.contains("error")) line("error", member<std::string>(report, "error", ""));
    line("made by",
         fmt::format(
             "knead {}, {}, {} threads, {} precision, seed {}", member(report, "knead", unknown),
             member(report, "backend", unknown), member(report, "threads", std::int64_t{0}),
             member(report, "precision", unknown), member(report, "seed", std::uint64_t{0})));
    line("took", duration(member(report, "wall_seconds", 0.0)));
}

// Sheets and curves of a frame, as its header counts them.
void show_elements(const std::string& path) {
    const std::string bytes = read_bytes(path);
    for (const PlyElementHeader& element : read_ply_header(bytes, path).elements) {
        if (element.name == "face") line("triangles", count_text(element.count));
        if (element.name == "edge") line("segments", count_text(element.count));
    }
}

void show_run(const RunFolder& folder) {
    line("run", folder.path());
    show_report(folder);
    const auto frames = frame_files(folder.frames(), "frame", "ply");
    if (frames.empty())
        line("frames", "none yet");
    else
        line("frames",
             fmt::format("{} to {}, {}", frame_number(frames.front()), frame_number(frames.back()),
                         bytes_in_words(size_of(folder.frames()))));
    if (!frames.empty()) show_elements(frames.back());
    if (is_there(folder.stats())) {
        const StatsTable stats = read_stats(folder.stats());
        if (!stats.rows.empty() && stats.columns.size() > 2) {
            const auto& last = stats.rows.back();
            line("time", fmt::format("{:.6g} s", last.at(1)));
            line("particles", count_text(static_cast<std::size_t>(last.at(2))));
        }
    }
    for (const std::string& path : folder.checkpoint_files()) {
        try {
            const CheckpointHeader h = verify_checkpoint(path);
            line("checkpoint",
                 fmt::format("{}: frame {}, {:.6g} s, {}", fs::path(path).filename().string(),
                             h.frame, h.time, bytes_in_words(size_of(path))));
        } catch (const InputError& error) {
            line("checkpoint", error.what());
        }
    }
    for (const char* name : {"surface", "pictures", "export"}) {
        const std::string path = folder.path() + "/" + name;
        if (is_folder(path)) line(name, bytes_in_words(size_of(path)));
    }
    line("size", bytes_in_words(size_of(folder.path())));
}

void show_scene(const std::string& path) {
    const Scene scene = read_scene(path);
    line("scene", path);
    if (!scene.title.empty()) line("title", scene.title);
    line("time",
         fmt::format("{} frames at {:g} a second", scene.time.frames, scene.time.frame_rate));
    const MethodSummary method = summary_of(settings_of(scene));
    line(method.kind, method.text);
    line("precision", scene.solver.precision == Precision::single ? "single" : "double");
    for (const BodySpec& body : scene.bodies)
        line("body", fmt::format("{} of {}, spacing {:.4g} m", body.name, body.material,
                                 spacing_of(scene, body)));
    for (const Material& m : scene.materials)
        line("material", fmt::format("{}: {:g} kg/m3, bulk {:g} Pa, shear {:g} Pa", m.name,
                                     m.density, m.elastic.bulk_modulus, m.elastic.shear_modulus));
    for (const ColliderSpec& collider : scene.colliders) line("collider", collider.name);
    for (const Mistake& warning : scene.warnings) line("warning", to_string(warning));
}

int info(const std::string& path) {
    const std::string extension = fs::path(path).extension().string();
    if (is_folder(path)) {
        const RunFolder folder(path);
        if (!folder.holds_a_run())
            throw InputError({path}, "no run in this folder", "`knead run SCENE` makes one");
        show_run(folder);
    } else if (extension == ".toml") {
        show_scene(path);
    } else if (extension == ".h5") {
        show_checkpoint(path);
    } else if (extension == ".ply") {
        show_ply(path);
    } else if (extension == ".vdb") {
        show_vdb(path);
    } else {
        const InputFile readable(path, frame_input);  // what it is not, it says itself
        throw InputError({path}, "this kind of file is not known",
                         "info reads run folders, .toml, .ply, .vdb and .h5");
    }
    return 0;
}

}  // namespace

Command command_info() {
    auto path = std::make_shared<std::string>();
    return {"info", "say what is in a run, a scene or a file",
            "knead info out/kneading\n"
            "knead info scenes/demo/kneading.toml\n"
            "knead info out/kneading/frames/frame_00010.ply",
            [path](Arguments& a) {
                a.positional("PATH", *path, "folder of a run, scene (.toml), .ply, .vdb or .h5");
            },
            [path] { return info(*path); }};
}

}  // namespace knead::cli
