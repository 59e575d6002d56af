#include "knead/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <utility>

#include "knead/base/error.h"

namespace knead {

namespace {

constexpr std::string_view name_begin = ".knead-", name_end = ".part";

// Names of unfinished files, where a signal handler finds them.
struct Listed {
    std::atomic<bool> taken = false;
    std::atomic<bool> named = false;
    char path[PATH_MAX] = {};
};
std::array<Listed, 16> unfinished;

int enlist(const std::string& path) {
    if (path.size() >= PATH_MAX) return -1;
    for (std::size_t i = 0; i < unfinished.size(); ++i) {
        if (unfinished[i].taken.exchange(true)) continue;
        std::memcpy(unfinished[i].path, path.c_str(), path.size() + 1);
        unfinished[i].named = true;
        return static_cast<int>(i);
    }
    return -1;
}

void strike(int place) {
    if (place < 0) return;
    Listed& listed = unfinished[static_cast<std::size_t>(place)];
    listed.named = false;
    listed.taken = false;
}

// Some file systems do not know how to; what they took counts as written.
bool reaches_disk(int file) { return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP; }

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::string host() {
    char name[65] = {};
    if (gethostname(name, sizeof name - 1) != 0 || !name[0]) return "host";
    for (char& c : name)
        if (c && !std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
}

// No other process and no other file of this one has it: .knead-HOST-PROCESS-COUNT.part
std::string own_name() {
    static const std::string machine = host();
    static std::atomic<unsigned> count = 0;
    return fmt::format("{}{}-{}-{}{}", name_begin, machine, getpid(), count++, name_end);
}

bool takes_digits(std::string_view& text) {
    const std::size_t last = text.find_last_not_of("0123456789");
    if (last == std::string_view::npos || last + 1 == text.size() || text[last] != '-')
        return false;
    text = text.substr(0, last);
    return true;
}

bool is_own_name(std::string_view name) {
    if (!name.starts_with(name_begin) || !name.ends_with(name_end)) return false;
    if (name.size() <= name_begin.size() + name_end.size()) return false;
    name.remove_prefix(name_begin.size());
    name.remove_suffix(name_end.size());
    return takes_digits(name) && takes_digits(name) && !name.empty();
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
    constexpr int tries = 100;
    for (int k = 0; k < tries; ++k)
        if (open_temporary()) return;
    errno = EEXIST;
    fail("cannot be created");
}

// A new file that this process holds locked until it is done; false: another name is needed.
bool AtomicFile::open_temporary() {
    temporary_ = folder_of(path_) + own_name();
    listed_ = enlist(temporary_);
    const int file =
        open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0) {
        const int error = errno;
        strike(std::exchange(listed_, -1));
        errno = error;
        if (error == EEXIST) return false;
        fail("cannot be created");
    }
    struct stat made {};
    const bool swept = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (swept || fstat(file, &made) != 0 || made.st_nlink == 0) {
        strike(std::exchange(listed_, -1));
        close(file);  // someone swept the folder between the two calls
        return false;
    }
    file_ = fdopen(file, "wb");
    if (!file_) {
        const int error = errno;
        unlink(temporary_.c_str());
        strike(std::exchange(listed_, -1));
        close(file);
        errno = error;
        fail("cannot be created");
    }
    return true;
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
    if (!file_) return;
    unlink(temporary_.c_str());
    strike(std::exchange(listed_, -1));
    std::fclose(std::exchange(file_, nullptr));
}

void AtomicFile::write(const void* data, std::size_t bytes) {
    if (bytes > 0 && std::fwrite(data, 1, bytes, file_) != bytes) fail("cannot be written");
}

int AtomicFile::descriptor() const { return fileno(file_); }

void AtomicFile::commit() {
    if (std::fflush(file_) != 0 || !reaches_disk(fileno(file_))) fail("cannot be written");
    // Locked until it has its name: nobody sweeps it away meanwhile.
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
        const int error = errno;
        discard();
        errno = error;
        fail("cannot be put in place");
    }
    strike(std::exchange(listed_, -1));
    std::fclose(std::exchange(file_, nullptr));
    // The name, too, must survive a power cut.
    const std::string folder = folder_of(path_);
    const int opened =
        open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return;
    fsync(opened);
    close(opened);
}

void AtomicFile::fail(const char* what) {
    const std::string reason = std::strerror(errno);
    throw RunError(path_ + ": " + what + ": " + reason);
}

void write_whole(const std::string& path, std::string_view bytes) {
    AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

void sweep_unfinished(const std::string& folder) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        if (!is_own_name(entry.path().filename().string())) continue;
        const int file = open(entry.path().c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file < 0) continue;
        struct stat found {};
        if (fstat(file, &found) == 0 && S_ISREG(found.st_mode) &&
            flock(file, LOCK_EX | LOCK_NB) == 0)
            unlink(entry.path().c_str());
        close(file);
    }
}

void make_folder(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) throw RunError(path + ": cannot be created: " + error.message());
    sweep_unfinished(path);
}

void abandon_unfinished() noexcept {
    for (Listed& listed : unfinished)
        if (listed.named) unlink(listed.path);
}

}  // namespace knead
