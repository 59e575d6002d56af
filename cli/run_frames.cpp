#include "run_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "knead/io/frame.h"
#include "standard_streams.h"

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

// "7", "5-10", "5-", "-10", "1-240x2"; a colon may stand for the dash and for the x.
bool to_range(std::string text, FrameRange& range) {
    std::replace(text.begin(), text.end(), '-', ':');
    // The step stands behind a range only.
    const std::size_t step = text.find('x'), dash = text.find(':');
    if (step != std::string::npos && (dash > step || text.find(':', dash + 1) != std::string::npos))
        return false;
    std::replace(text.begin(), text.end(), 'x', ':');
    const std::vector<std::string> parts = split(text, ':');
    if (parts.size() > 3 || (parts.size() == 1 && parts[0].empty())) return false;
    if (!parts[0].empty() && !(to_number(parts[0], range.first) && range.first >= 0)) return false;
    if (parts.size() == 1) range.last = range.first;
    if (parts.size() > 1 && !parts[1].empty() &&
        !(to_number(parts[1], range.last) && range.last >= range.first))
        return false;
    return parts.size() < 3 || (to_number(parts[2], range.step) && range.step > 0);
}

bool holds(const FrameRange& range, int n) {
    return n >= range.first && (range.last < 0 || n <= range.last) &&
           (n - range.first) % range.step == 0;
}

}  // namespace

FrameRanges parse_frames(const std::string& text) {
    if (text.empty() || text == "all") return {FrameRange{}};
    FrameRanges ranges;
    for (const std::string& part : split(text, ','))
        if (!to_range(part, ranges.emplace_back()))
            throw InputError({"--frames"}, "'" + text + "' is no range of frames",
                             "write 7, 1-240, 1-240x2 or 3,5-10");
    return ranges;
}

std::vector<std::string> select_frames(const std::vector<std::string>& frames,
                                       const FrameRanges& ranges) {
    std::vector<std::string> chosen;
    for (const std::string& file : frames) {
        const int n = frame_number(file);
        if (std::any_of(ranges.begin(), ranges.end(),
                        [n](const FrameRange& range) { return holds(range, n); }))
            chosen.push_back(file);
    }
    if (chosen.empty())
        throw InputError({"--frames"}, "no frame lies in that range",
                         fmt::format("there are frames {} to {}", frame_number(frames.front()),
                                     frame_number(frames.back())));
    return chosen;
}

int spacing_of_frames(const std::vector<std::string>& frames) {
    if (frames.size() < 2) return 1;
    const int step = frame_number(frames[1]) - frame_number(frames[0]);
    for (std::size_t k = 1; k < frames.size(); ++k)
        if (frame_number(frames[k]) - frame_number(frames[k - 1]) != step) return 1;
    return step;
}

bool is_up_to_date(const std::string& file, const std::vector<std::string>& sources) {
    namespace fs = std::filesystem;
    std::error_code missing;
    const fs::file_time_type made = fs::last_write_time(file, missing);
    if (missing) return false;
    return std::all_of(sources.begin(), sources.end(), [&](const std::string& source) {
        const fs::file_time_type written = fs::last_write_time(source, missing);
        return missing || written <= made;
    });
}

void warn_of_old_surfaces(const RunView& run, const std::vector<std::string>& frames) {
    std::vector<std::string> old;
    for (const std::string& frame : frames)
        if (const std::string file = run.surface_file(frame);
            std::filesystem::exists(file) && !is_up_to_date(file, {frame}))
            old.push_back(file);
    if (old.empty()) return;
    const std::string more = old.size() > 1 ? fmt::format(" and {} more", old.size() - 1) : "";
    complain(fmt::format(
        "warning: {}{} {} older than the frames; `knead surface {} --missing` makes them anew\n",
        old[0], more, old.size() > 1 ? "are" : "is", run.folder().path()));
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

}  // namespace knead::cli
