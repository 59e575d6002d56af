#include "knead/scene/read_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "knead/base/error.h"

namespace knead {

std::string read_scene_file(const std::string& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    const Place place{path, 0, 0};
    if (path.empty() || !std::filesystem::exists(status))
        throw InputError(place, "there is no such file", "name a scene file (TOML)");
    if (std::filesystem::is_directory(status))
        throw InputError(place, "is a folder", "name a scene file (TOML) in it");
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file && text.str().empty() && std::filesystem::file_size(path, error) > 0)
        throw InputError(place, "cannot be read", "check its permissions");
    return text.str();
}

}  // namespace knead
