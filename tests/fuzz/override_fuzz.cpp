// Any lines as --set arguments for a small scene, one a line; what is taken can be written and
// read.
#include <cstdlib>
#include <sstream>

#include "knead/scene/read_scene.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    static const char* const scene =
        "[solver]\ndx = 0.1\n[[bodies]]\nname = \"ball\"\nmaterial = \"jelly\"\n"
        "shape = {sphere = {radius = 0.5}}\n[[colliders]]\nname = \"floor\"\n"
        "shape = {plane = {}}\n[quality.preview]\nsolver.dx = 0.2\n";
    std::vector<std::string> settings;
    std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
    for (std::string line; settings.size() < 16 && std::getline(lines, line);)
        settings.push_back(line);
    const knead::Reading reading = knead::try_read_scene_text(scene, "fuzz.toml", settings);
    if (!reading.mistakes.empty()) return 0;
    const std::string written = knead::write_scene(reading.scene);
    if (!knead::try_read_scene_text(written, "again.toml").mistakes.empty()) std::abort();
    return 0;
}
