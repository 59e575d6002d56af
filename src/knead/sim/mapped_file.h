// A file's bytes, read where they lie.
#pragma once

#include <string>
#include <string_view>

namespace knead {

class MappedFile {
public:
    explicit MappedFile(const std::string& path);  // InputError where it cannot be read
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    std::string_view bytes() const { return {data_, size_}; }

private:
    const char* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace knead
