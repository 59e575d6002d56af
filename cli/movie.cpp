#include "movie.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "knead/io/ply.h"

namespace knead::cli {

namespace {

// For the shell: in single quotes, with those inside taken apart.
std::string quoted(const std::string& text) {
    std::string out = "'";
    for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

}  // namespace

std::string write_movie(const std::string& path, const std::vector<std::string>& pictures,
                        double frame_rate) {
    if (std::system("command -v ffmpeg >/dev/null 2>&1") != 0)
        return "ffmpeg is not installed (Debian package ffmpeg)";

    // pictures go in through a pipe, so that only those of this run are taken; H.264 wants even
    // sides
    const std::string draft = path + ".part.mp4";
    const std::string command = fmt::format(
        "ffmpeg -loglevel error -y -f image2pipe -framerate {} -c:v png -i - "
        "-vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' -c:v libx264 -preset medium -crf 18 "
        "-pix_fmt yuv420p -movflags +faststart {}",
        frame_rate, quoted(draft));
    const auto old = std::signal(SIGPIPE, SIG_IGN);
    std::FILE* pipe = popen(command.c_str(), "w");
    bool good = pipe != nullptr;
    for (const std::string& picture : pictures) {
        if (!good) break;
        const std::string bytes = read_bytes(picture);
        good = std::fwrite(bytes.data(), 1, bytes.size(), pipe) == bytes.size();
    }
    if (pipe && pclose(pipe) != 0) good = false;
    std::signal(SIGPIPE, old);
    if (good && std::rename(draft.c_str(), path.c_str()) == 0) return {};
    std::remove(draft.c_str());
    return "ffmpeg could not make it";
}

}  // namespace knead::cli
