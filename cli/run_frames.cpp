#include "run_frames.h"

#include <fmt/format.h>

#include <charconv>

#include "knead/io/frame.h"

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

std::vector<std::string> select_frames(const std::vector<std::string>& frames,
                                       const FrameRange& range) {
    std::vector<std::string> chosen;
    for (const std::string& file : frames) {
        const int n = frame_number(file);
        if (n >= range.first && (range.last < 0 || n <= range.last) &&
            (n - range.first) % range.step == 0)
            chosen.push_back(file);
    }
    if (chosen.empty())
        throw InputError({"--frames"}, "no frame lies in that range",
                         fmt::format("there are frames {} to {}", frame_number(frames.front()),
                                     frame_number(frames.back())));
    return chosen;
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
