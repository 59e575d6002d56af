#include "knead/cuda/emulated/card.h"

#include <cmath>
#include <cstdlib>

namespace knead::emulated {

namespace {

Card current;

double setting(const char* name, double otherwise) {
    const char* text = std::getenv(name);
    return text && *text ? std::strtod(text, nullptr) : otherwise;
}

// CUDA C++ Programming Guide, technical specifications: shared memory a CUDA block may have.
std::size_t shared_kib(int capability) {
    switch (capability) {
        case 75:
            return 64;
        case 80:
        case 87:
            return 163;
        case 86:
        case 89:
        case 120:
            return 99;
        default:
            return capability >= 90 ? 227 : 48;
    }
}

}  // namespace

const Card& card() { return current; }

const Card& read_card() {
    current.capability =
        static_cast<int>(std::lround(10 * setting("KNEAD_EMULATED_CAPABILITY", 9.0)));
    current.memory_bytes =
        static_cast<std::size_t>(setting("KNEAD_EMULATED_MEMORY_MIB", 4096) * 0x1p20);
    current.shared_bytes = shared_kib(current.capability) << 10;
    const double driver = setting("KNEAD_EMULATED_DRIVER", 0.001 * runtime_version);
    current.driver = static_cast<int>(std::lround(1000 * driver));
    return current;
}

}  // namespace knead::emulated
