// How the emulated device speaks of mistakes: by kernel, line, CUDA block and thread.
#pragma once

#include <string>
#include <string_view>

namespace knead::emulated {

// "kernel NAME, block 3, thread 17" for the thread that runs; empty where none does.
std::string running_thread();
void set_running_kernel(std::string_view name);  // empty: none

// File and line of an address of this program, with those it was inlined into.
std::string line_of(const void* address);

// Says what is wrong and where, and ends the program.
[[noreturn]] void fail(const std::string& what);

}  // namespace knead::emulated
