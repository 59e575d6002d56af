// An access of a kernel, as the compiler announces it.
#pragma once

#include <cstddef>

namespace knead::emulated {

enum class Touching { read, write, atomic, peek };  // peek: a read beside atomic changes
void touch(const void* at, std::size_t bytes, Touching how, const void* caller);

}  // namespace knead::emulated
