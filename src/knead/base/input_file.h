// The one way in which knead opens a file that a person names. Only regular files are read, none
// above the limit of its kind, and opening never waits: a pipe, a device or a socket is refused.
// Trouble is an InputError that names the file and what to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace knead {

// What a file is read as, and the most bytes it may have.
struct InputKind {
    const char* what;    // as in "a scene file (TOML)"
    std::uint64_t most;  // [bytes]
};

inline constexpr InputKind scene_input{"a scene file (TOML)", std::uint64_t{16} << 20};
inline constexpr InputKind report_input{"a run's report (JSON)", std::uint64_t{16} << 20};
inline constexpr InputKind statistics_input{"a run's statistics (CSV)", std::uint64_t{1} << 30};
inline constexpr InputKind mesh_input{"a mesh (.obj, .ply or .stl)", std::uint64_t{8} << 30};
inline constexpr InputKind frame_input{"a file of a run (.ply or .png)", std::uint64_t{128} << 30};
inline constexpr InputKind volume_input{"a VDB file", std::uint64_t{128} << 30};
inline constexpr InputKind checkpoint_input{"a checkpoint (.h5)", std::uint64_t{1} << 40};

// An open file, closed when it goes.
class InputFile {
public:
    InputFile(const std::string& path, const InputKind& kind);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    int descriptor() const { return file_; }
    std::uint64_t size() const { return size_; }
    // All bytes; no more than fit into memory.
    std::string read() const;

private:
    std::string path_;
    InputKind kind_;
    int file_ = -1;
    std::uint64_t size_ = 0;
};

std::string read_input(const std::string& path, const InputKind& kind);

// Whether there is something, or a folder, at a path. Never throws: what cannot be looked at (a
// circle of links, a name that is too long) is not there.
bool is_there(const std::string& path);
bool is_folder(const std::string& path);

}  // namespace knead
