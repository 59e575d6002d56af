#include "knead/sim/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "knead/base/error.h"

namespace knead {

MappedFile::MappedFile(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw InputError({path}, std::string("cannot be read: ") + std::strerror(errno));
    struct stat status {};
    void* data = nullptr;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        size_ = static_cast<std::size_t>(status.st_size);
        if (size_ > 0) data = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
    if (data == MAP_FAILED) throw InputError({path}, "cannot be read: it does not fit in memory");
    data_ = static_cast<const char*>(data);
}

MappedFile::~MappedFile() {
    if (data_) munmap(const_cast<char*>(data_), size_);
}

}  // namespace knead
