#include "knead/picture/movie.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "knead/base/error.h"
#include "knead/io/atomic_file.h"
#include "knead/io/ply.h"

namespace knead {

namespace {

// In ffmpeg, which knows the movie by this number and no name.
constexpr int movie_descriptor = 3;

// ffmpeg, which reads pictures from its standard input.
class Ffmpeg {
public:
    Ffmpeg(int movie, double frame_rate) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            throw RunError(std::string("no pipe: ") + std::strerror(errno));
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        // the numbers may be in each other's way: out of theirs first
        const int safe = dup(movie);
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, safe, movie_descriptor);
        std::vector<std::string> words = arguments(frame_rate);
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        error_ = posix_spawnp(&process_, "ffmpeg", &actions, nullptr, argv.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        close(safe);
        close(ends[0]);
        input_ = ends[1];
    }
    ~Ffmpeg() { finish(); }
    Ffmpeg(const Ffmpeg&) = delete;
    Ffmpeg& operator=(const Ffmpeg&) = delete;

    bool is_installed() const { return error_ == 0; }

    // False: it does not read on.
    bool take(const std::string& bytes) const {
        for (std::size_t done = 0; done < bytes.size();) {
            const ssize_t n = ::write(input_, bytes.data() + done, bytes.size() - done);
            if (n < 0 && errno != EINTR) return false;
            if (n > 0) done += static_cast<std::size_t>(n);
        }
        return true;
    }

    // Whether all went well.
    bool finish() {
        if (input_ >= 0) close(input_);
        input_ = -1;
        if (error_ != 0 || process_ == 0) return false;
        int status = 0;
        while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
        }
        process_ = 0;
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

private:
    // H.264 wants even sides.
    static std::vector<std::string> arguments(double frame_rate) {
        return {"ffmpeg",
                "-loglevel",
                "error",
                "-nostdin",
                "-y",
                "-f",
                "image2pipe",
                "-framerate",
                fmt::format("{}", frame_rate),
                "-c:v",
                "png",
                "-i",
                "pipe:0",
                "-vf",
                "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                "-c:v",
                "libx264",
                "-preset",
                "medium",
                "-crf",
                "18",
                "-pix_fmt",
                "yuv420p",
                "-movflags",
                "+faststart",
                "-f",
                "mp4",
                fmt::format("file:/proc/self/fd/{}", movie_descriptor)};
    }

    pid_t process_ = 0;
    int error_ = 0;
    int input_ = -1;
};

// ffmpeg does not always say that a disk is full: the parts of the file must fill it exactly, with
// an index among them.
bool is_whole_movie(int file) {
    const off_t size = lseek(file, 0, SEEK_END);
    bool indexed = false;
    off_t at = 0;
    while (at < size) {
        unsigned char head[8];
        if (pread(file, head, sizeof head, at) != sizeof head) return false;
        off_t length = 0;
        for (int k = 0; k < 4; ++k) length = length << 8 | head[k];
        if (length == 1) {  // the length stands behind, in eight bytes
            unsigned char more[8];
            if (pread(file, more, sizeof more, at + 8) != sizeof more) return false;
            std::uint64_t wide = 0;
            for (const unsigned char byte : more) wide = wide << 8 | byte;
            length = static_cast<off_t>(wide);
        }
        indexed = indexed || std::memcmp(head + 4, "moov", 4) == 0;
        if (length < 8) return false;
        at += length;
    }
    return indexed && at == size;
}

}  // namespace

bool write_movie(const std::string& path, const std::vector<std::string>& pictures,
                 double frame_rate) {
    AtomicFile movie(path);
    Ffmpeg ffmpeg(movie.descriptor(), frame_rate);
    if (!ffmpeg.is_installed()) return false;
    // pictures go in through a pipe, so that only those of this run are taken
    bool good = true;
    for (const std::string& picture : pictures) good = good && ffmpeg.take(read_bytes(picture));
    good = ffmpeg.finish() && good;
    if (!good || !is_whole_movie(movie.descriptor()))
        throw RunError(path + ": cannot be written: ffmpeg could not make it");
    movie.commit();
    return true;
}

}  // namespace knead
