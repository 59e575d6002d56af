#include "knead/sim/checkpoint_header.h"

#include <fmt/format.h>

#include <sstream>

#include "knead/base/error.h"
#include "knead/sim/hash.h"

namespace knead {

namespace {

constexpr const char* magic = "knead checkpoint 1";

// Everything but the hash itself.
std::string contents_of(const CheckpointHeader& h, std::size_t payload_bytes) {
    return fmt::format(
        "{}\nversion {}\nprecision {}\nframe {}\ntime {}\nstep {}\nparticles {}\nmodel {:016x}\n"
        "bytes {}\n",
        magic, h.version, h.precision, h.frame, h.time, h.step, h.particles, h.model_hash,
        payload_bytes);
}

[[noreturn]] void damaged(const std::string& name, const std::string& what) {
    throw InputError({name}, "damaged checkpoint: " + what,
                     "delete it and resume from an older one");
}

// Reads `key value` lines; a missing one leaves the value as it is.
CheckpointHeader read_contents(const std::string& page, std::size_t& payload_bytes) {
    CheckpointHeader h;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        if (key == "version") words >> h.version;
        if (key == "precision") words >> h.precision;
        if (key == "frame") words >> h.frame;
        if (key == "time") words >> h.time;
        if (key == "step") words >> h.step;
        if (key == "particles") words >> h.particles;
        if (key == "model") words >> std::hex >> h.model_hash;
        if (key == "bytes") words >> payload_bytes;
    }
    return h;
}

}  // namespace

std::string checkpoint_page_of(const CheckpointHeader& header, std::string_view payload) {
    std::string page = contents_of(header, payload.size());
    Hash hash;
    hash.add(payload.data(), payload.size());
    page += fmt::format("hash {:016x}\n", hash.value() ^ hash_of(page));
    page.resize(checkpoint_page - 1, ' ');
    return page + '\n';
}

CheckpointHeader parse_checkpoint_page(std::string_view file, const std::string& name) {
    if (file.substr(0, std::string_view(magic).size()) != magic)
        damaged(name, "it does not start as a checkpoint does");
    if (file.size() < checkpoint_page) damaged(name, "it is cut short");
    const std::string page(file.substr(0, checkpoint_page));
    const std::string_view payload = file.substr(checkpoint_page);
    std::size_t payload_bytes = 0;
    const CheckpointHeader header = read_contents(page, payload_bytes);
    if (payload_bytes != payload.size()) damaged(name, "it is cut short");
    if (checkpoint_page_of(header, payload) != page) damaged(name, "its hash does not match");
    return header;
}

}  // namespace knead
