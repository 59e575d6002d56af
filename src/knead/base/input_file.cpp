#include "knead/base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "knead/base/error.h"
#include "knead/base/machine.h"

namespace knead {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what,
                         const std::string& remedy) {
    throw InputError(Place{path, 0, 0}, what, remedy);
}

[[noreturn]] void refuse_open(const std::string& path, const InputKind& kind, int error) {
    const std::string name = std::string("name ") + kind.what;
    if (error == ENOENT || error == ENOTDIR || path.empty())
        refuse(path, "there is no such file", name);
    if (error == ELOOP) refuse(path, "its links lead in a circle", name);
    if (error == EACCES || error == EPERM) refuse(path, "cannot be read", "check its permissions");
    if (error == ENXIO || error == ENODEV) refuse(path, "is not a regular file", name);
    refuse(path, std::string("cannot be read: ") + std::strerror(error), name);
}

void require_regular(const std::string& path, const InputKind& kind, const struct stat& status) {
    const std::string name = std::string("name ") + kind.what;
    if (S_ISDIR(status.st_mode)) refuse(path, "is a folder", name + " in it");
    if (!S_ISREG(status.st_mode))
        refuse(path, "is not a regular file but a pipe, a device or a socket",
               name + "; what comes from a program must be saved first");
    if (static_cast<std::uint64_t>(status.st_size) > kind.most)
        refuse(path, "is too large: " + bytes_in_words(static_cast<double>(status.st_size)),
               std::string("allowed for ") + kind.what + ": " +
                   bytes_in_words(static_cast<double>(kind.most)));
}

}  // namespace

InputFile::InputFile(const std::string& path, const InputKind& kind) : path_(path), kind_(kind) {
    // A first look, so that no driver is even asked to open its device.
    struct stat status {};
    if (path.find('\0') != std::string::npos) refuse_open(path, kind, ENOENT);
    if (stat(path.c_str(), &status) != 0) refuse_open(path, kind, errno);
    require_regular(path, kind, status);
    file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file_ < 0) refuse_open(path, kind, errno);
    try {
        // What is open now may be another file than a moment ago.
        if (fstat(file_, &status) != 0) refuse_open(path, kind, errno);
        require_regular(path, kind, status);
    } catch (...) {
        close(file_);
        throw;
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() {
    if (file_ >= 0) close(file_);
}

std::string InputFile::read() const {
    // What is little fits where memory was given back, too, which counts as used.
    constexpr std::uint64_t little = 1 << 24;
    if (size_ > little && static_cast<double>(size_) > available_memory())
        refuse(
            path_,
            "is larger than the memory that is free: " + bytes_in_words(static_cast<double>(size_)),
            "take a smaller one, or a machine with more memory");
    std::string bytes(size_ + 1, '\0');
    std::size_t done = 0;
    for (;;) {
        // Files without a size (as in /proc) and those that grow are read up to the limit.
        if (done == bytes.size()) bytes.resize(2 * done + 4096);
        const ssize_t n = ::read(file_, bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            refuse(path_, std::string("cannot be read: ") + std::strerror(errno),
                   "check the file and its disk");
        if (n == 0) break;
        done += static_cast<std::size_t>(n);
        if (done > kind_.most)
            refuse(path_, "is too large",
                   std::string("allowed for ") + kind_.what + ": " +
                       bytes_in_words(static_cast<double>(kind_.most)));
    }
    bytes.resize(done);
    return bytes;
}

std::string read_input(const std::string& path, const InputKind& kind) {
    return InputFile(path, kind).read();
}

bool is_there(const std::string& path) {
    struct stat status {};
    return path.find('\0') == std::string::npos && stat(path.c_str(), &status) == 0;
}

bool is_folder(const std::string& path) {
    struct stat status {};
    return path.find('\0') == std::string::npos && stat(path.c_str(), &status) == 0 &&
           S_ISDIR(status.st_mode);
}

}  // namespace knead
