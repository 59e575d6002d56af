// Every seed of a target once, and some thousand changed copies of them: a short look in the
// ordinary tests at what libFuzzer looks at for longer, or a long one without its help.
// usage: replay_NAME FOLDER [COPIES]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "knead/base/random.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);

namespace {

void run(const std::string& bytes) {
    // A copy of just that size, so that sanitizers see what lies behind it.
    const std::vector<unsigned char> copy(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(copy.data(), copy.size());
}

std::string changed(std::string bytes, std::uint64_t seed) {
    std::uint64_t drawn = 0;
    const auto draw = [&](std::size_t below) {
        return static_cast<std::size_t>(knead::random_bits(seed, drawn++) % below);
    };
    for (std::size_t n = 1 + draw(4); n > 0 && !bytes.empty(); --n) {
        const std::size_t at = draw(bytes.size());
        switch (draw(5)) {
            case 0:
                bytes[at] = static_cast<char>(draw(256));
                break;
            case 1:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << draw(8)));
                break;
            case 2:
                bytes.resize(at);
                break;
            case 3:
                bytes.erase(at, 1 + draw(16));
                break;
            default:
                bytes.insert(at, bytes.substr(draw(bytes.size()), 1 + draw(32)));
        }
    }
    return bytes;
}

}  // namespace

int main(int count, char** words) {
    if (count < 2) return 2;
    const std::size_t wanted = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1000;
    std::vector<std::string> seeds;
    for (const auto& entry : std::filesystem::directory_iterator(words[1])) {
        std::ifstream in(entry.path(), std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        seeds.push_back(text.str());
    }
    std::sort(seeds.begin(), seeds.end());
    if (seeds.empty()) {
        std::fprintf(stderr, "%s: no seeds\n", words[1]);
        return 1;
    }
    const std::size_t copies = wanted / seeds.size() + 1;
    for (std::size_t s = 0; s < seeds.size(); ++s) {
        run(seeds[s]);
        for (std::size_t k = 0; k < copies; ++k) run(changed(seeds[s], (s << 32) + k));
    }
    std::printf("%zu seeds, %zu changed copies each\n", seeds.size(), copies);
    return 0;
}
