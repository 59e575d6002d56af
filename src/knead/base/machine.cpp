#include "knead/base/machine.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace knead {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// The number behind a word in a file of words and numbers; `otherwise` where there is none.
double number_after(const std::string& file, const std::string& word, double otherwise) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string name;
        double value = 0;
        if (words >> name >> value && name == word) return value;
    }
    return otherwise;
}

double number_in(const std::string& file, double otherwise) {
    std::ifstream in(file);
    double value = 0;
    return in >> value ? value : otherwise;
}

// What a control group leaves; file pages that the kernel can drop do not count as used.
double left_in_group(const std::string& folder, const char* limit_name, const char* used_name,
                     const char* cache_name) {
    const double limit = number_in(folder + limit_name, unlimited);
    if (!(limit < 1e18)) return unlimited;
    const double used = number_in(folder + used_name, 0);
    const double cache = number_after(folder + "/memory.stat", cache_name, 0);
    return std::max(0.0, limit - used + cache);
}

// The least that this process's group and those around it leave.
double left_in_groups() {
    double least = unlimited;
    std::ifstream in("/proc/self/cgroup");
    for (std::string line; std::getline(in, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string kind = line.substr(first + 1, second - first - 1);
        const bool unified = kind.empty();
        if (!unified && kind.find("memory") == std::string::npos) continue;
        const std::string root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        for (std::string path = line.substr(second + 1);;) {
            const std::string folder = root + (path == "/" ? "" : path);
            least = std::min(
                least,
                unified ? left_in_group(folder, "/memory.max", "/memory.current", "inactive_file")
                        : left_in_group(folder, "/memory.limit_in_bytes", "/memory.usage_in_bytes",
                                        "total_inactive_file"));
            if (path.empty() || path == "/") break;
            path.resize(path.rfind('/'));
        }
    }
    return least;
}

// What limits on the address space and on data leave.
double left_in_limits() {
    double least = unlimited;
    const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
    double total = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
    std::ifstream("/proc/self/statm") >> total >> resident >> shared >> text >> library >> data;
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        least = std::min(least, static_cast<double>(limit.rlim_cur) - page * total);
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        least = std::min(least, static_cast<double>(limit.rlim_cur) - page * data);
    return std::max(0.0, least);
}

}  // namespace

double available_memory() {
    const double kernel = 1024 * number_after("/proc/meminfo", "MemAvailable:", unlimited);
    return std::min({kernel, left_in_groups(), left_in_limits()});
}

double available_disk(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code failed;
    fs::path at = fs::absolute(path, failed);
    for (; !failed; at = at.parent_path()) {
        const fs::space_info space = fs::space(at, failed);
        if (!failed) return static_cast<double>(space.available);
        if (!at.has_relative_path()) break;
        failed.clear();
    }
    return -1;
}

std::string bytes_in_words(double bytes) {
    const char* const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    std::size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < std::size(units)) bytes /= 1000, ++unit;
    return fmt::format("{:.3g} {}", bytes, units[unit]);
}

}  // namespace knead
