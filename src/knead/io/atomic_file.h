// A file that appears whole or not at all: written beside its place under a name of its own, then
// renamed into it. Whatever stood there before stays until the new file is complete. Any number of
// processes may write the same file at once: the last one that is whole stands.
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

    int descriptor() const;  // for a program that writes the file for us

private:
    bool open_temporary();
    void discard();
    [[noreturn]] void fail(const char* what);
    std::string path_;
    std::string temporary_;
    std::FILE* file_ = nullptr;
    int listed_ = -1;  // place in the list of unfinished files
};

// All of a small file at once.
void write_whole(const std::string& path, std::string_view bytes);

// Removes what processes that were killed left unfinished in a folder. What another process is
// still writing stays, and so does every file that an AtomicFile did not make.
void sweep_unfinished(const std::string& folder);

// A folder to write to, made where there is none, without what killed commands left in it. RunError
// where it cannot be made.
void make_folder(const std::string& path);

// Removes what this process has not finished. For signal handlers: the process must end after it.
void abandon_unfinished() noexcept;

}  // namespace knead
