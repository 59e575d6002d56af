#include "knead/sim/run_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "knead/base/error.h"

namespace fs = std::filesystem;

namespace knead {

namespace {

bool is_named(const fs::path& path) {  // be it a link that leads nowhere
    std::error_code ignored;
    return fs::symlink_status(path, ignored).type() > fs::file_type::not_found;
}

struct flock whole_file() {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

bool take_lock(int file) {
    struct flock lock = whole_file();
    return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

// For people: the lock holds without it.
void sign(int file) {
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0) host[0] = 0;
    const std::string name = "process " + std::to_string(getpid()) + " on " + host + "\n";
    if (ftruncate(file, 0) != 0 || pwrite(file, name.data(), name.size(), 0) < 0) {
        // A full disk; messages are shorter then.
    }
}

}  // namespace

std::string lock_holder(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return {};
    struct flock lock = whole_file();
    const bool held = fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    char text[300] = "";
    const ssize_t length = held ? pread(file, text, sizeof text - 1, 0) : 0;
    close(file);
    if (!held) return {};
    const std::string name(text, static_cast<std::size_t>(length > 0 ? length : 0));
    const std::size_t end = name.find('\n');
    return end == std::string::npos || end == 0 ? "a process" : name.substr(0, end);
}

RunLock::RunLock(const RunFolder& folder) : path_(folder.path() + "/.lock") {
    make_folders(folder.path());
    constexpr int tries = 100;  // another run may remove the file that it made, and its folder
    for (int k = 0; k < tries; ++k) {
        if (open_file()) return;
        make_folders(folder.path());
    }
    throw RunError(path_ + ": cannot be locked: it vanishes again and again");
}

void RunLock::make_folders(const std::string& folder) {
    std::vector<std::string> wanted;
    for (fs::path p = fs::path(folder); !p.empty() && !is_named(p); p = p.parent_path())
        wanted.push_back(p.string());
    std::error_code failed;
    for (; !wanted.empty() && !failed; wanted.pop_back())
        if (fs::create_directory(wanted.back(), failed)) made_folders_.push_back(wanted.back());
    if (!failed && !fs::is_directory(folder, failed) && !failed)
        failed = std::make_error_code(std::errc::not_a_directory);
    if (failed) throw RunError(folder + ": cannot be created: " + failed.message());
}

// False: the file was gone by the time it was locked.
bool RunLock::open_file() {
    constexpr int how = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    file_ = open(path_.c_str(), how | O_EXCL, 0666);
    made_file_ = file_ >= 0;
    if (file_ < 0 && errno == EEXIST) file_ = open(path_.c_str(), how, 0666);
    if (file_ < 0 && errno == ENOENT) return false;
    if (file_ < 0) throw RunError(path_ + ": cannot be written: " + std::strerror(errno));
    const int error = take_lock(file_) ? 0 : errno;
    struct stat held {
    }, named{};
    const bool same = fstat(file_, &held) == 0 && lstat(path_.c_str(), &named) == 0 &&
                      held.st_dev == named.st_dev && held.st_ino == named.st_ino;
    if (error == 0 && same) {
        sign(file_);
        return true;
    }
    close(std::exchange(file_, -1));
    if (error == EAGAIN || error == EACCES) {
        const std::string who = lock_holder(path_);
        throw RunError(fs::path(path_).parent_path().string() + ": another run" +
                       (who.empty() ? "" : " (" + who + ")") +
                       " is writing here; wait for it, or choose another --out");
    }
    if (error != 0) throw RunError(path_ + ": cannot be locked: " + std::strerror(error));
    return false;
}

RunLock::~RunLock() {
    if (file_ < 0) return;
    if (!kept_ && made_file_) unlink(path_.c_str());
    if (!kept_)
        for (; !made_folders_.empty(); made_folders_.pop_back())
            if (rmdir(made_folders_.back().c_str()) != 0) break;
    close(file_);
}

}  // namespace knead
