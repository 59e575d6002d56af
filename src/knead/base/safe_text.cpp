#include "knead/base/safe_text.h"

#include <fmt/format.h>

#include <cstdint>

namespace knead {

namespace {

struct Letter {
    std::uint32_t code = 0;
    std::size_t bytes = 0;  // 0: no UTF-8
};

// The letter that a text begins with.
Letter first_letter(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return {first, 1};
    const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
    std::uint32_t code = first & (0xffu >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0u) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3fu);
    }
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool right = code >= least[bytes] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return right ? Letter{code, bytes} : Letter{};
}

bool harmless(std::uint32_t code, bool lines) {
    if (code == '\n') return lines;
    if (code == '\t') return true;
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
    const bool directional = code == 0x61c || code == 0x200e || code == 0x200f ||
                             (code >= 0x2028 && code <= 0x202e) ||
                             (code >= 0x2066 && code <= 0x2069);
    return !directional;
}

}  // namespace

std::string safe_text(std::string_view text, bool lines) {
    std::string out;
    while (!text.empty()) {
        const Letter letter = first_letter(text);
        const std::size_t bytes = letter.bytes ? letter.bytes : 1;
        if (letter.bytes && harmless(letter.code, lines))
            out.append(text.substr(0, bytes));
        else if (letter.bytes > 1)
            out += fmt::format("\\u{:04x}", letter.code);
        else if (text[0] == '\n')
            out += "\\n";
        else
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        text.remove_prefix(bytes);
    }
    return out;
}

}  // namespace knead
