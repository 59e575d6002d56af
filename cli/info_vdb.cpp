#include "info_vdb.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointCount.h>
#include <openvdb/points/PointDataGrid.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "knead/base/error.h"
#include "knead/base/input_file.h"
#include "knead/base/machine.h"
#include "knead/base/safe_text.h"
#include "progress.h"

namespace knead::cli {

namespace {

std::string text_of_points(const openvdb::points::PointDataGrid& grid) {
    std::string text =
        fmt::format("  points      {}\n", count_text(openvdb::points::pointCount(grid.tree())));
    const auto leaf = grid.tree().cbeginLeaf();
    if (!leaf) return text;
    text += "  attributes ";
    for (const auto& [name, position] : leaf->attributeSet().descriptor().map())
        text += " " + safe_text(name);
    return text + "\n";
}

std::string text_of_grid(const openvdb::GridBase& grid) {
    std::string text =
        fmt::format("{:<14}{}\n  type        {}\n  voxel       {:.6g} m\n", "grid",
                    safe_text(grid.getName()), safe_text(grid.type()), grid.voxelSize()[0]);
    const openvdb::CoordBBox box = grid.evalActiveVoxelBoundingBox();
    if (!box.empty()) {
        const openvdb::Vec3d lo = grid.indexToWorld(box.min()), hi = grid.indexToWorld(box.max());
        text += fmt::format("  bounds      {:.4g} {:.4g} {:.4g} to {:.4g} {:.4g} {:.4g} m\n", lo[0],
                            lo[1], lo[2], hi[0], hi[1], hi[2]);
    }
    text += fmt::format("  active      {} voxels\n", count_text(grid.activeVoxelCount()));
    if (const auto* points = dynamic_cast<const openvdb::points::PointDataGrid*>(&grid))
        text += text_of_points(*points);
    return text;
}

std::string text_of_file(const std::string& path) {
    openvdb::initialize();
    openvdb::io::File file(path);
    file.open(false);  // without waiting for each other: nothing is loaded later
    std::string text;
    const auto grids = file.getGrids();
    for (const auto& grid : *grids) text += text_of_grid(*grid);
    file.close();
    return text;
}

// What happens in the process that reads: OpenVDB trusts the numbers in a file, and a damaged one
// takes such a process down with it. The first letter says whether it went well.
[[noreturn]] void read_and_leave(const std::string& path, int to) {
    const auto limit = [](auto what, double most) {
        const rlimit value{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
        setrlimit(what, &value);
    };
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, 600);
    limit(RLIMIT_AS, available_memory() + 2e9);  // and what libraries only reserve
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDERR_FILENO);
    std::string answer;
    try {
        answer = "+" + text_of_file(path);
    } catch (const std::exception& error) {
        answer = std::string("-") + error.what();
    }
    for (std::size_t done = 0; done < answer.size();) {
        const ssize_t n = ::write(to, answer.data() + done, answer.size() - done);
        if (n < 0 && errno != EINTR) break;
        if (n > 0) done += static_cast<std::size_t>(n);
    }
    _exit(0);
}

std::string read_all(int from) {
    std::string text;
    char piece[4096];
    for (;;) {
        const ssize_t n = ::read(from, piece, sizeof piece);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return text;
        text.append(piece, static_cast<std::size_t>(n));
    }
}

}  // namespace

void show_vdb(const std::string& path) {
    { const InputFile readable(path, volume_input); }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw RunError("no pipe to read the VDB file through");
    std::fflush(stdout);
    const pid_t reader = fork();
    if (reader < 0) throw RunError("no process to read the VDB file in");
    if (reader == 0) read_and_leave(path, ends[1]);
    close(ends[1]);
    const std::string answer = read_all(ends[0]);
    close(ends[0]);
    int status = 0;
    while (waitpid(reader, &status, 0) < 0 && errno == EINTR) {
    }
    if (answer.empty() || !WIFEXITED(status))
        throw InputError({path}, "damaged: reading this VDB file fails", "write it again");
    if (answer[0] == '-')
        throw InputError({path}, "not a readable VDB file: " + answer.substr(1), "write it again");
    fmt::print("{:<14}{}\n{}", "VDB", safe_text(path), answer.substr(1));
}

}  // namespace knead::cli
