// A fresh folder for one test, gone with it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace knead {

struct ScratchFolder {
    std::string path;
    ScratchFolder() {
        std::string pattern = std::filesystem::temp_directory_path() / "knead_test_XXXXXX";
        path = mkdtemp(pattern.data());
    }
    ~ScratchFolder() { std::filesystem::remove_all(path); }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
};

}  // namespace knead
