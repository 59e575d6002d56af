#include "knead/sim/stats_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>

#include "knead/base/error.h"
#include "knead/base/input_file.h"
#include "knead/io/atomic_file.h"

namespace knead {

namespace {

// Every column in order: visit(name, value).
template <class Visit>
void for_each_quantity(const FrameStatistics& s, Visit&& visit) {
    const auto vector = [&](const std::string& name, const Vec3d& a) {
        visit(name + "_x", a.x);
        visit(name + "_y", a.y);
        visit(name + "_z", a.z);
    };
    visit("frame", s.frame);
    visit("time", s.time);
    visit("particles", s.particles);
    visit("mass", s.mass);
    visit("volume", s.volume);
    vector("momentum", s.momentum);
    vector("angular_momentum", s.angular_momentum);
    visit("kinetic_energy", s.kinetic_energy);
    visit("elastic_energy", s.elastic_energy);
    vector("centre_of_mass", s.centre_of_mass);
    vector("bbox_min", s.bbox_min);
    vector("bbox_max", s.bbox_max);
    visit("max_speed", s.max_speed);
    visit("substeps", s.substeps);
    visit("seconds", s.seconds);
    for (const auto& [name, value] : s.extra) visit(name, value);
}

// Lines that are complete, each with its end.
std::vector<std::string> complete_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
        lines.push_back(text.substr(begin, end + 1 - begin));
    return lines;
}

std::vector<std::string> fields(const std::string& line) {
    std::vector<std::string> words;
    std::istringstream in(line.substr(0, line.find_last_not_of("\r\n") + 1));
    for (std::string word; std::getline(in, word, ',');) words.push_back(word);
    return words;
}

std::optional<double> number(const std::string& word) {
    double value = 0;
    const char* end = word.data() + word.size();
    const auto read = std::from_chars(word.data(), end, value);
    return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

bool write_all(int file, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t n = ::write(file, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        done += static_cast<std::size_t>(n);
    }
    return fsync(file) == 0 || errno == EINVAL;
}

}  // namespace

std::vector<std::pair<std::string, double>> stats_row(const FrameStatistics& row) {
    std::vector<std::pair<std::string, double>> out;
    for_each_quantity(row, [&](const std::string& name, auto value) {
        out.emplace_back(name, static_cast<double>(value));
    });
    return out;
}

std::string stats_header(const FrameStatistics& row) {
    std::string text;
    for_each_quantity(row, [&](const std::string& name, auto) { text += name + ","; });
    text.back() = '\n';
    return text;
}

std::string stats_line(const FrameStatistics& row) {
    std::string text;
    for_each_quantity(row,
                      [&](const std::string&, auto value) { text += fmt::format("{},", value); });
    text.back() = '\n';
    return text;
}

void append_stats(const std::string& path, const FrameStatistics& row) {
    constexpr int how = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const int file = open(path.c_str(), how, 0666);
    struct stat before {};
    if (file < 0 || fstat(file, &before) != 0)
        throw RunError(path + ": cannot be written: " + std::strerror(errno));
    if (!S_ISREG(before.st_mode)) {
        close(file);
        throw RunError(path + ": cannot be written: it is no regular file");
    }
    const std::string header = before.st_size == 0 ? stats_header(row) : "";
    const bool written = write_all(file, header + stats_line(row));
    const int error = errno;
    if (!written && ftruncate(file, before.st_size) != 0) {
        // The half row stays; resuming drops it.
    }
    close(file);
    if (!written) throw RunError(path + ": cannot be written: " + std::strerror(error));
}

void truncate_stats(const std::string& path, int frame) {
    if (access(path.c_str(), F_OK) != 0) return;
    const std::vector<std::string> lines = complete_lines(read_input(path, statistics_input));
    AtomicFile file(path);
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (i == 0 || std::atoi(lines[i].c_str()) <= frame) file.write(lines[i]);
    file.commit();
}

int whole_stats_rows(const std::string& path) {
    std::error_code missing;
    if (!std::filesystem::is_regular_file(path, missing)) return 0;
    const std::vector<std::string> lines = complete_lines(read_input(path, statistics_input));
    if (lines.empty()) return 0;
    const std::size_t columns = fields(lines[0]).size();
    int rows = 0;
    for (std::size_t i = 1; i < lines.size(); ++i, ++rows) {
        const std::vector<std::string> words = fields(lines[i]);
        if (words.size() != columns || words[0] != std::to_string(rows)) break;
        if (!std::all_of(words.begin(), words.end(), [](const auto& w) { return number(w); }))
            break;
    }
    return rows;
}

StatsTable read_stats(const std::string& path) {
    return parse_stats(read_input(path, statistics_input), path);
}

StatsTable parse_stats(const std::string& text, const std::string& path) {
    const std::vector<std::string> lines = complete_lines(text);
    if (lines.empty())
        throw InputError({path}, "no statistics in it", "`knead run` writes a row a frame");
    StatsTable table;
    table.columns = fields(lines[0]);
    for (std::size_t i = 1; i < lines.size(); ++i) {
        std::vector<double> row;
        for (const std::string& word : fields(lines[i])) {
            const std::optional<double> value = number(word);
            if (!value)
                throw InputError({path, static_cast<int>(i) + 1}, "'" + word + "' is no number");
            row.push_back(*value);
        }
        if (row.size() != table.columns.size())
            throw InputError(
                {path, static_cast<int>(i) + 1},
                fmt::format("{} numbers, but {} columns", row.size(), table.columns.size()));
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace knead
