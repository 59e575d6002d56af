#include "knead/sim/mapped_file.h"

#include <sys/mman.h>

#include "knead/base/error.h"
#include "knead/base/input_file.h"

namespace knead {

MappedFile::MappedFile(const std::string& path) {
    const InputFile file(path, checkpoint_input);
    size_ = static_cast<std::size_t>(file.size());
    if (size_ == 0) return;
    void* data = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (data == MAP_FAILED)
        throw InputError({path}, "cannot be read: it does not fit in memory",
                         "free some memory, or raise the limit");
    data_ = static_cast<const char*>(data);
}

MappedFile::~MappedFile() {
    if (data_) munmap(const_cast<char*>(data_), size_);
}

}  // namespace knead
