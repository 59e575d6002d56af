// A 64-bit hash that guards files against damage. Every step is a bijection of the running value,
// so that a change in any single word always changes the result.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "knead/base/random.h"

namespace knead {

class Hash {
public:
    // Pieces other than the last must have a length that is a multiple of 8.
    void add(const void* data, std::size_t bytes) {
        const char* p = static_cast<const char*>(data);
        for (; bytes >= 8; p += 8, bytes -= 8) word(p, 8);
        if (bytes > 0) word(p, bytes);
    }
    std::uint64_t value() const { return mix_bits(value_ ^ length_); }

private:
    void word(const char* p, std::size_t bytes) {
        std::uint64_t w = 0;
        std::memcpy(&w, p, bytes);
        value_ = mix_bits(value_ ^ w);
        length_ += bytes;
    }
    std::uint64_t value_ = 0;
    std::uint64_t length_ = 0;
};

inline std::uint64_t hash_of(std::string_view text) {
    Hash hash;
    hash.add(text.data(), text.size());
    return hash.value();
}

}  // namespace knead
