#include "knead/io/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "knead/base/error.h"

namespace knead {

namespace {

// Some file systems do not know how to; what they took counts as written.
bool reaches_disk(int file) { return fsync(file) == 0 || errno == EINVAL; }

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), temporary_(path_ + ".part") {
    file_ = std::fopen(temporary_.c_str(), "wb");
    if (!file_) fail("cannot be created");
}

AtomicFile::~AtomicFile() {
    if (!file_) return;
    std::fclose(file_);
    std::remove(temporary_.c_str());
}

void AtomicFile::write(const void* data, std::size_t bytes) {
    if (bytes > 0 && std::fwrite(data, 1, bytes, file_) != bytes) fail("cannot be written");
}

void AtomicFile::commit() {
    if (std::fflush(file_) != 0 || !reaches_disk(fileno(file_))) fail("cannot be written");
    std::FILE* file = std::exchange(file_, nullptr);
    if (std::fclose(file) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
        const int error = errno;
        std::remove(temporary_.c_str());
        errno = error;
        fail("cannot be put in place");
    }
    // The name, too, must survive a power cut.
    const int folder = open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    fsync(folder);
    close(folder);
}

void AtomicFile::fail(const char* what) {
    const std::string reason = std::strerror(errno);
    throw RunError(path_ + ": " + what + ": " + reason);
}

}  // namespace knead
