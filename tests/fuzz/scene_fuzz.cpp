// Any bytes as a scene: read it, write it, read it again.
#include <cstdlib>

#include "knead/scene/read_scene.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    // What follows the first zero byte serves as a setting.
    const std::size_t zero = text.find('\0');
    std::vector<std::string> settings;
    if (zero != std::string_view::npos) settings.emplace_back(text.substr(zero + 1));
    const knead::Reading reading =
        knead::try_read_scene_text(text.substr(0, zero), "fuzz.toml", settings);
    if (!reading.mistakes.empty()) return 0;
    const std::string written = knead::write_scene(reading.scene);
    const knead::Reading again = knead::try_read_scene_text(written, "again.toml");
    if (!again.mistakes.empty() || knead::write_scene(again.scene) != written) std::abort();
    return 0;
}
