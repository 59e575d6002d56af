// The GPU that `--backend cuda` would use, in plain types.
#pragma once

#include <string>

namespace knead {

// What stands in the way of using a GPU here, in one sentence; empty if nothing does.
std::string why_no_gpu();
// Its name, memory and the like, for people; says so where it is emulated.
std::string describe_gpu();
// What slows knead down on this card compared with newer ones; empty if nothing does.
std::string what_gpu_lacks();

// Bytes a second that a copy within its memory moves, read plus written.
double gpu_copy_bandwidth();

}  // namespace knead
