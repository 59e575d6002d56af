// A file that appears whole or not at all: written beside its place, then renamed into it. Whatever
// stood there before stays until the new file is complete.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace knead {

class AtomicFile {
public:
    explicit AtomicFile(std::string path);  // RunError where the file cannot be made
    ~AtomicFile();                          // without commit(): removes what was written
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }
    template <class T>
    void write_all(const std::vector<T>& values) {
        write(values.data(), values.size() * sizeof(T));
    }
    void commit();  // RunError where the disk did not take everything

private:
    [[noreturn]] void fail(const char* what);
    std::string path_;
    std::string temporary_;
    std::FILE* file_ = nullptr;
};

}  // namespace knead
